import type { ReactElement } from "react";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { useCommand } from "../data/use-command.ts";
import { css } from "../ui/classes.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { oneLine } from "../../../core/model/text.ts";
import type { Issue } from "../../../core/model/issue.ts";

export function AbortDialog(props: {
  readonly castId: string;
  readonly request: string;
  readonly onClose: () => void;
}): ReactElement {
  const { castId, request, onClose } = props;
  const command = useCommand({ quiet: true });
  const abort = async (): Promise<void> => {
    if ((await command.run({ kind: "abort", castId }, "Aborted", { trust: command.isForeign })) !== null) onClose();
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
      <b dir="auto">{oneLine(request, 200)}</b>
      <p className={css("secondary")}>The current visit is stopped. The cast can be resumed from there.</p>
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}

/** [S15] Lists everything that a cast started elsewhere would run, before it runs. */
export function TrustCastDialog(props: {
  readonly resuming: TypedCommand;
  readonly issues: readonly Issue[];
  readonly onClose: () => void;
}): ReactElement {
  const { resuming, issues, onClose } = props;
  const command = useCommand({ quiet: true });
  const resume = async (): Promise<void> => {
    if ((await command.run(resuming, "Resumed", { trust: true })) !== null) onClose();
  };
  return (
    <ConfirmDialog
      title="Trust this cast?"
      action="Trust this cast and resume"
      danger
      busy={command.busy !== null}
      onClose={onClose}
      onAct={() => void resume()}
    >
      {/* The hint names the option of the command line; here the button does that. */}
      <IssueList
        issues={(command.issues.length > 0 ? command.issues : issues).map(({ hint: _hint, ...issue }) => issue)}
      />
      <p className={css("secondary")}>
        It came with the project, or from another machine. Trust holds for exactly this cast, as long as nobody changes
        it.
      </p>
    </ConfirmDialog>
  );
}
