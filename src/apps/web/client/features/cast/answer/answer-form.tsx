import type { ReactElement } from "react";
import { askedPersonMateria } from "../../../../../../core/cast/question.ts";
import { useTextDraft } from "../../../browser/drafts/kept-text.ts";
import { useCommand } from "../../../data/use-command.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { IssueList } from "../../../parts/marks/issues.tsx";
import type { CastPanelProps } from "../state/use-cast-view.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import controlsSheet from "../../../parts/controls/controls.module.css";
import answerSheet from "./answer.module.css";

const css = bindClassNames(answerSheet, controlsSheet);

/** Whether a yes or no is asked for, and not an answer. */
export function asksYesOrNo({ cast }: Pick<CastPanelProps, "cast">): boolean {
  return askedPersonMateria(cast.replay.timelineAt(cast.replay.lastSeq()).state) !== undefined;
}

/** What a person says to a cast that waits: yes or no to a gate, else words for the agent or none. */
export function AnswerForm(props: CastPanelProps & { readonly onDone?: () => void }): ReactElement {
  const { cast, onDone } = props;
  const { castId } = cast.castFile;
  const [said, setSaid] = useTextDraft(`answer ${castId}`);
  const command = useCommand({ quiet: true });
  const isGate = asksYesOrNo(props);
  const text = said.trim();
  const busy = command.busy !== null;
  const send = async (line: string, done: string): Promise<void> => {
    if ((await command.run(line, done, { trust: command.isForeign })) === null) return;
    setSaid("");
    onDone?.();
  };
  const goOn = text === "" ? `continue ${castId}` : `continue ${castId} ${text}`;
  const words = isGate ? "Yes" : text === "" ? "Take the result and go on" : "Answer";
  const trusting = (word: string): string => (command.isForeign ? `Trust this cast and say ${word}` : word);
  return (
    <form
      className={css("answer")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send(goOn, isGate ? "Said yes" : "Continued");
      }}
    >
      <label className={css("answer-field")}>
        <span className={css("label")}>
          {isGate
            ? "The reason of a no, or a note beside a yes"
            : "Your answer; leave it empty to take the result as it is"}
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
            onClick={() => void send(`continue --reject ${castId} ${text}`, "Said no")}
          >
            {command.isForeign ? trusting("no") : "No"}
          </Button>
        )}
        <Button look="primary" type="submit" busy={busy}>
          {command.isForeign ? (isGate ? trusting("yes") : "Trust this cast and go on") : words}
        </Button>
      </div>
    </form>
  );
}
