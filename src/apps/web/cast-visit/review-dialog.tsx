import type { ReactElement, ReactNode } from "react";
import { lastReply } from "../../../core/view/report/next-steps.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { bindSheets } from "../ui/classes.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Markdown } from "../ui/markdown.tsx";
import answerSheet from "./answer.module.css";
import { CastFileChanges } from "./files-tab.tsx";
import { LineCommentsContext, useLineComments } from "./line-comments.tsx";

const css = bindSheets(answerSheet);

/** [W50] Question, request, report and change beside the decision. Comments on lines become part of its reason. */
export function ReviewDialog(
  props: CastPanelProps & {
    readonly title: string;
    readonly question: string | null;
    readonly onClose: () => void;
    /** The decision; it gets the comments as one text. */
    readonly children: (comments: string) => ReactNode;
  },
): ReactElement {
  const { cast, view, title, question, onClose, children } = props;
  const comments = useLineComments();
  const { state } = cast.replay.timelineAt(cast.replay.lastSeq());
  const report = state.handed?.text.trim() ?? lastReply(state);
  return (
    <Dialog title={title} wide onClose={onClose} onOutside={() => {}} className={css("review")}>
      <div className={css("review-body")}>
        <div className={css("reviewed")} tabIndex={0} role="region" aria-label="What is decided">
          {question !== null && (
            <div className={css("note waiting-tone question")} role="region" aria-label="Question">
              <Markdown text={question} />
            </div>
          )}
          <details>
            <summary>Request</summary>
            <p className={css("review-request")} dir="auto">
              {cast.castFile.request}
            </p>
          </details>
          {report !== "" && report !== question?.trim() && (
            <details open={question === null}>
              <summary>{`Report of ${state.handed?.materia ?? "the last visit"}`}</summary>
              <Markdown text={report} />
            </details>
          )}
          <LineCommentsContext value={comments}>
            <CastFileChanges cast={cast} view={view} />
          </LineCommentsContext>
        </div>
        <div className={css("decision")}>
          {comments.text !== "" && (
            <div>
              <span className={css("label")}>Your comments</span>
              <pre className={css("code wrap")}>{comments.text}</pre>
            </div>
          )}
          {children(comments.text)}
        </div>
      </div>
    </Dialog>
  );
}
