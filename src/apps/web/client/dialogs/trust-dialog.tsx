import type { ReactElement } from "react";
import type { Issue } from "../../../../core/model/issue.ts";
import { AskDialog } from "../parts/controls/dialog.tsx";
import { Issues } from "../parts/marks/issues.tsx";
import { useCommand } from "../data/use-command.ts";
import { classesOf } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";

const css = classesOf(baseSheet);

/** [S10] All that a cast of somebody else would run, as the server has just said it, before it does. */
export function TrustDialog(props: {
  readonly castId: string;
  readonly issues: readonly Issue[];
  readonly onClose: () => void;
}): ReactElement {
  const { castId, issues, onClose } = props;
  const command = useCommand({ quiet: true });
  const resume = async (): Promise<void> => {
    if ((await command.run(`recast ${castId}`, "Resumed", { trust: true })) !== null) onClose();
  };
  return (
    <AskDialog
      title="Trust this cast?"
      action="Trust this cast and resume"
      danger
      busy={command.busy !== null}
      onClose={onClose}
      onAct={() => void resume()}
    >
      <Issues issues={(command.issues.length > 0 ? command.issues : issues).map(withoutHint)} />
      <p className={css("secondary")}>
        It came with the project, or from another machine. Trust holds for exactly this cast, as long as nobody changes
        it.
      </p>
    </AskDialog>
  );
}

/** The way out that it names is the one of the command line; here it is the button. */
function withoutHint({ hint: _hint, ...issue }: Issue): Issue {
  return issue;
}
