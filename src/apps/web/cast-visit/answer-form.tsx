import type { ReactElement, ReactNode } from "react";
import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import { withoutCutMarks } from "../../../core/model/text.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { useCommand } from "../data/use-command.ts";
import { Button } from "../ui/buttons.tsx";
import { IssueList } from "../ui/issues.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { bindSheets } from "../ui/classes.ts";
import answerSheet from "./answer.module.css";
import { TextArea } from "../ui/fields.tsx";
import { Markdown } from "../ui/markdown.tsx";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { lastReply } from "../../../core/view/report/next-steps.ts";
import { Dialog } from "../ui/dialog.tsx";
import { CastFileChanges } from "./files-tab.tsx";
import { LineCommentsContext, useLineComments } from "./patch-rows.tsx";

const css = bindSheets(answerSheet);

function asksYesOrNo({ cast }: CastPanelProps): boolean {
  return askedPersonMateria(cast.replay.timelineAt(cast.replay.lastSeq()).state) !== undefined;
}

function questionTitle(props: CastPanelProps): string {
  const who = props.view.latest.position?.materia ?? "The cast";
  return `${who} ${asksYesOrNo(props) ? "asks" : "waits for"} you`;
}

function AnswerForm(
  props: CastPanelProps & { readonly onDone?: () => void; readonly comments?: string },
): ReactElement {
  const { cast, onDone, comments = "" } = props;
  const { castId } = cast.castFile;
  const [said, setSaid] = useTextDraft(`answer ${castId}`);
  const command = useCommand({ quiet: true });
  const isGate = asksYesOrNo(props);
  const text = [said.trim(), comments].filter((part) => part !== "").join("\n\n");
  const busy = command.busy !== null;
  const answer = isGate ? "Yes" : text === "" ? "Accept the result and continue" : "Answer";
  const send = async (reject: boolean): Promise<void> => {
    const sent: TypedCommand = { kind: "continue", castId, text, reject };
    if ((await command.run(sent, "", { trust: command.isForeign })) === null) return;
    setSaid("");
    onDone?.();
  };
  return (
    <form
      className={css("answer")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send(false);
      }}
    >
      <label className={css("answer-field")}>
        <span className={css("answer-label")}>
          {isGate ? "Reason for a no, or note for a yes" : "Your answer; leave it empty to accept the result"}
        </span>
        <TextArea value={said} onType={setSaid} />
      </label>
      <IssueList issues={command.issues} />
      <div className={css("answer-buttons")}>
        {isGate && (
          <Button
            look="danger"
            busy={busy}
            off={text === "" ? "A no needs a reason" : null}
            onClick={() => void send(true)}
          >
            {command.isForeign ? "Trust this cast and say no" : "No"}
          </Button>
        )}
        <Button look="primary" type="submit" busy={busy}>
          {command.isForeign ? `Trust this cast and ${isGate ? "say yes" : "continue"}` : answer}
        </Button>
      </div>
    </form>
  );
}

/** [Q8, W50] The question, the work that it is about, and the answer form. */
export function AnswerDialog(props: CastPanelProps & { readonly onClose: () => void }): ReactElement {
  return (
    <ReviewDialog {...props} title={questionTitle(props)} question={props.view.latest.question}>
      {(comments, clear) => (
        <AnswerForm
          {...props}
          comments={comments}
          onDone={() => {
            clear();
            props.onClose();
          }}
        />
      )}
    </ReviewDialog>
  );
}

/** [W32] Question and answer form inside the open visit. */
export function VisitQuestion(props: CastPanelProps & { readonly visit: TimelineVisit }): ReactElement | null {
  const { view, visit } = props;
  const { status, question } = view.latest;
  const isHere = visit.index === view.allVisits.length - 1;
  if (status !== "waiting" || !isHere || view.at !== null) return null;
  return (
    <section className={css("asked")} aria-label="Waiting for you">
      <h3 className={css("asked-title")}>{questionTitle(props)}</h3>
      {question !== null && asksYesOrNo(props) && (
        <div className={css("question")} tabIndex={0} role="region" aria-label="Question">
          <Markdown text={withoutCutMarks(question)} />
        </div>
      )}
      <AnswerForm {...props} />
    </section>
  );
}

/** [W50] Question, request, report and change beside the decision. Comments on lines become part of its reason. */
export function ReviewDialog(
  props: CastPanelProps & {
    readonly title: string;
    readonly question: string | null;
    readonly onClose: () => void;
    /** The decision; it gets the comments as one text, and clears them when they are sent. */
    readonly children: (comments: string, clear: () => void) => ReactNode;
  },
): ReactElement {
  const { cast, view, title, question, onClose, children } = props;
  const comments = useLineComments(cast.castFile.castId);
  const { state } = cast.replay.timelineAt(cast.replay.lastSeq());
  const report = state.handed?.text.trim() ?? lastReply(state);
  return (
    <Dialog title={title} onClose={onClose} onOutside={() => {}} className={css("review")}>
      <div className={css("review-body")}>
        <div className={css("reviewed")} tabIndex={0} role="region" aria-label="Work under review">
          {question !== null && (
            <div className={css("note waiting-tone question")} role="region" aria-label="Question">
              <Markdown text={withoutCutMarks(question)} />
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
              <span className={css("answer-label")}>Your comments</span>
              <pre className={css("code wrap")}>{comments.text}</pre>
            </div>
          )}
          {children(comments.text, comments.clear)}
        </div>
      </div>
    </Dialog>
  );
}
