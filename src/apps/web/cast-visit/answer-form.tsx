import type { ReactElement } from "react";
import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { useCommand } from "../data/use-command.ts";
import { Button } from "../ui/buttons.tsx";
import { IssueList } from "../ui/issues.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { bindClassNames } from "../styles/classes.ts";
import controlsSheet from "../ui/controls.module.css";
import answerSheet from "./answer.module.css";
import { Dialog } from "../ui/dialog.tsx";
import { Markdown } from "../ui/markdown.tsx";
import marksSheet from "../ui/marks.module.css";
import dialogSheet from "../ui/dialog.module.css";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";

const css = bindClassNames(answerSheet, dialogSheet, controlsSheet, marksSheet);

/** Whether the cast waits for a yes or no. */
export function asksYesOrNo({ cast }: Pick<CastPanelProps, "cast">): boolean {
  return askedPersonMateria(cast.replay.timelineAt(cast.replay.lastSeq()).state) !== undefined;
}

/** Answers a waiting cast: yes or no to a gate, or a message to the agent. */
function AnswerForm(props: CastPanelProps & { readonly onDone?: () => void }): ReactElement {
  const { cast, onDone } = props;
  const { castId } = cast.castFile;
  const [said, setSaid] = useTextDraft(`answer ${castId}`);
  const command = useCommand({ quiet: true });
  const isGate = asksYesOrNo(props);
  const text = said.trim();
  const busy = command.busy !== null;
  const send = async (reject: boolean, done: string): Promise<void> => {
    const answer: TypedCommand = { kind: "continue", castId, text, reject };
    if ((await command.run(answer, done, { trust: command.isForeign })) === null) return;
    setSaid("");
    onDone?.();
  };
  const words = isGate ? "Yes" : text === "" ? "Accept the result and continue" : "Answer";
  const trusting = (word: string): string => (command.isForeign ? `Trust this cast and say ${word}` : word);
  return (
    <form
      className={css("answer")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send(false, isGate ? "Said yes" : "Continued");
      }}
    >
      <label className={css("answer-field")}>
        <span className={css("label")}>
          {isGate ? "Reason for a no, or note for a yes" : "Your answer; leave it empty to accept the result"}
        </span>
        <span className={css("field")}>
          <textarea
            rows={3}
            value={said}
            onChange={(event) => setSaid(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        </span>
      </label>
      <IssueList issues={command.issues} />
      <div className={css("answer-buttons")}>
        {isGate && (
          <Button
            look="danger"
            busy={busy}
            off={text === "" ? "A no needs a reason" : null}
            onClick={() => void send(true, "Said no")}
          >
            {command.isForeign ? trusting("no") : "No"}
          </Button>
        )}
        <Button look="primary" type="submit" busy={busy}>
          {command.isForeign ? (isGate ? trusting("yes") : "Trust this cast and continue") : words}
        </Button>
      </div>
    </form>
  );
}

/** [Q8] The whole question as Markdown, and the answer form. */
export function AnswerDialog(props: CastPanelProps & { readonly onClose: () => void }): ReactElement {
  const { view, onClose } = props;
  const who = view.latest.position?.materia ?? "The cast";
  const { question } = view.latest;
  return (
    <Dialog title={asksYesOrNo(props) ? `${who} asks you` : `${who} waits for you`} wide onClose={onClose}>
      <div className={css("dialog-body")}>
        {question !== null && (
          <div className={css("note waiting-tone question")} tabIndex={0} role="region" aria-label="Question">
            <Markdown text={question} />
          </div>
        )}
        <AnswerForm {...props} onDone={onClose} />
      </div>
    </Dialog>
  );
}

/** [W32] Question and answer form inside the open visit. */
export function VisitQuestion(props: CastPanelProps & { readonly visit: TimelineVisit }): ReactElement | null {
  const { view, visit } = props;
  const { status, question, position } = view.latest;
  const isHere = visit.index === view.allVisits.length - 1;
  if (status !== "waiting" || !isHere || view.at !== null) return null;
  const who = position?.materia ?? "The cast";
  return (
    <section className={css("asked")} aria-label="Waiting for you">
      <h3 className={css("asked-title")}>{asksYesOrNo(props) ? `${who} asks you` : `${who} waits for you`}</h3>
      {question !== null && asksYesOrNo(props) && (
        <div className={css("question")} tabIndex={0} role="region" aria-label="Question">
          <Markdown text={question} />
        </div>
      )}
      <AnswerForm {...props} />
    </section>
  );
}
