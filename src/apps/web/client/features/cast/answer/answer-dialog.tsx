import type { ReactElement } from "react";
import { Dialog } from "../../../parts/controls/dialog.tsx";
import { Markdown } from "../../../parts/text/markdown.tsx";
import type { CastPanelProps } from "../state/use-cast-view.ts";
import { AnswerForm, asksYesOrNo } from "./answer-form.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import marksSheet from "../../../parts/marks/marks.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";
import answerSheet from "./answer.module.css";

const answerDialogCss = bindClassNames(answerSheet, dialogSheet, marksSheet);

/** [Q8] The question in full, as the Markdown it is, and the answer to it. */
export function AnswerDialog(props: CastPanelProps & { readonly onClose: () => void }): ReactElement {
  const { view, onClose } = props;
  const who = view.latest.position?.materia ?? "The cast";
  const { question } = view.latest;
  return (
    <Dialog title={asksYesOrNo(props) ? `${who} asks you` : `${who} waits for you`} wide onClose={onClose}>
      <div className={answerDialogCss("dialog-body")}>
        {question !== null && (
          <div className={answerDialogCss("note waiting-tone question")} tabIndex={0} role="region" aria-label="Question">
            <Markdown text={question} />
          </div>
        )}
        <AnswerForm {...props} onDone={onClose} />
      </div>
    </Dialog>
  );
}
