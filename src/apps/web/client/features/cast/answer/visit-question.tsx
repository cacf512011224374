import type { ReactElement } from "react";
import { Markdown } from "../../../parts/text/markdown.tsx";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import type { CastPanelProps } from "../state/use-cast-view.ts";
import { AnswerForm, asksYesOrNo } from "./answer-form.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import answerSheet from "./answer.module.css";

const visitQuestionCss = bindClassNames(answerSheet);

/** [W32] The cast waits at the visit that is read: what is asked, and the answer to it, in the reader. */
export function VisitQuestion(props: CastPanelProps & { readonly visit: VisitRecord }): ReactElement | null {
  const { view, visit } = props;
  const { status, question, position } = view.latest;
  const isHere = visit.index === view.allVisits.length - 1;
  if (status !== "waiting" || !isHere || view.at !== null) return null;
  const who = position?.materia ?? "The cast";
  return (
    <section className={visitQuestionCss("asked")} aria-label="Waiting for you">
      <h3 className={visitQuestionCss("asked-title")}>{asksYesOrNo(props) ? `${who} asks you` : `${who} waits for you`}</h3>
      {question !== null && asksYesOrNo(props) && (
        <div className={visitQuestionCss("question")} tabIndex={0} role="region" aria-label="Question">
          <Markdown text={question} />
        </div>
      )}
      <AnswerForm {...props} />
    </section>
  );
}
