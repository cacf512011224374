import { useId, type ComponentProps, type ReactElement, type ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";
import { css } from "./classes.ts";

export interface ButtonProps extends Omit<ComponentProps<"button">, "disabled"> {
  readonly look?: "plain" | "primary" | "danger" | "bare";
  readonly icon?: IconName;
  /** Why the button is disabled; it stays in place and shows the reason. */
  readonly off?: string | null | undefined;
  readonly busy?: boolean;
  /** Shows only the icon; screen readers get the name. */
  readonly label?: string;
  readonly children?: ReactNode;
}

const LOOK_CLASSES = { plain: "", primary: "primary", danger: "danger", bare: "bare" } as const;

export function Button(props: ButtonProps): ReactElement {
  const { look = "plain", icon, off, busy = false, label, children, className = "", onClick, ...rest } = props;
  const reason = useId();
  const isOff = off !== undefined && off !== null;
  return (
    <button
      type="button"
      {...rest}
      className={`${css(`control-button ${LOOK_CLASSES[look]} ${label !== undefined && children === undefined ? "icon-only" : ""}`)} ${className}`}
      aria-disabled={isOff || busy || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      {...(isOff ? { title: off, "aria-describedby": reason } : label === undefined ? {} : { title: label })}
      onClick={(event) => {
        if (isOff || busy) return event.preventDefault();
        onClick?.(event);
      }}
    >
      {busy ? <span className={css("spinner")} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
      {isOff && (
        <span id={reason} className={css("spoken")}>
          {off}
        </span>
      )}
    </button>
  );
}

/** An undo or redo step; `what` names it. */
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
