import type { ReactElement } from "react";
import { Button } from "./button.tsx";

/** What a step back and a step forth would do; `what` names it where that is known, and nothing says that there is none. */
export interface UndoStep {
  readonly what?: string;
}

export function UndoRedoButtons(props: {
  readonly back: UndoStep | undefined;
  readonly on: UndoStep | undefined;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}): ReactElement {
  const { back, on, onUndo, onRedo } = props;
  return (
    <>
      <Button
        look="bare"
        icon="undo"
        label={stepLabel("Undo", back)}
        off={back ? null : "Nothing to undo"}
        onClick={onUndo}
      />
      <Button
        look="bare"
        icon="redo"
        label={stepLabel("Redo", on)}
        off={on ? null : "Nothing to redo"}
        onClick={onRedo}
      />
    </>
  );
}

function stepLabel(word: string, step: UndoStep | undefined): string {
  return step?.what === undefined ? word : `${word}: ${step.what}`;
}
