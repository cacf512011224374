import type { ReactElement } from "react";
import { ConfirmDialog } from "../parts/controls/dialog.tsx";
import { IssueList } from "../parts/marks/issues.tsx";
import { useCommand } from "../data/use-command.ts";
import { bindClassNames } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";

const css = bindClassNames(baseSheet);

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
    <ConfirmDialog
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
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}
