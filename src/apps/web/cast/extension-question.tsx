import { useState, type ReactElement } from "react";
import { extensionQuestionTitle } from "../../../core/view/graph/labels.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../../core/model/text.ts";
import type { OpenQuestion } from "../../../core/wire/stream.ts";
import { answerQuestion } from "../net/api.ts";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { LabelledField, TextArea } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";
import castSheet from "./cast.module.css";

const css = bindSheets(castSheet);

/** [YP21] It opens by itself, so that it takes no focus: a key that is meant for something else must not answer it. */
export function ExtensionQuestionForm({ question }: { readonly question: OpenQuestion }): ReactElement {
  const { id, kind, text, hint = "" } = question;
  const [typed, setTyped] = useState(kind === "editor" ? hint : "");
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const title = extensionQuestionTitle(question.extension, question);
  const send = async (answer: string | null): Promise<void> => {
    const sent = await answerQuestion(id, answer);
    if (!sent.ok) setIssues(sent.issues);
  };
  const choices = kind === "confirm" ? ["yes", "no"] : question.choices;
  return (
    <section className={css("extension-question")} role="group" aria-label={title}>
      <b role="alert">{title}</b>
      <p className={css("note waiting-tone whole-title")} dir="auto" tabIndex={0}>
        {sanitizeForTerminal(text)}
      </p>
      {choices === undefined && (
        <LabelledField label="Answer">
          <TextArea value={typed} onType={setTyped} placeholder={hint} />
        </LabelledField>
      )}
      <div className={css("row wrap")}>
        {choices?.map((each, at) => (
          <Button key={at} onClick={() => void send(each)}>
            {sanitizeForTerminal(each)}
          </Button>
        ))}
        {choices === undefined && (
          <Button look="primary" onClick={() => void send(typed)}>
            Answer
          </Button>
        )}
        <Button onClick={() => void send(null)}>Decline</Button>
      </div>
      <IssueList issues={issues} />
    </section>
  );
}
