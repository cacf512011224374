import type { ReactElement } from "react";
import { AskDialog } from "../parts/controls/dialog.tsx";
import { Issues } from "../parts/marks/issues.tsx";
import { useCommand } from "../data/use-command.ts";
import { classesOf } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";

const css = classesOf(baseSheet);

export function AbortDialog(props: {
  readonly castId: string;
  readonly request: string;
  readonly onClose: () => void;
}): ReactElement {
  const { castId, request, onClose } = props;
  const command = useCommand({ quiet: true });
  const abort = async (): Promise<void> => {
    if ((await command.run(`abort ${castId}`, "Aborted", { trust: command.isForeign })) !== null) onClose();
  };
  return (
    <AskDialog
      title="Abort this cast?"
      action={command.isForeign ? "Trust this cast and abort it" : "Abort"}
      danger
      busy={command.busy !== null}
      onClose={onClose}
      onAct={() => void abort()}
    >
      <p>
        <b>{request}</b>
      </p>
      <p className={css("secondary")}>The visit in hand is stopped. The cast can be resumed where it was.</p>
      <Issues issues={command.issues} />
    </AskDialog>
  );
}
