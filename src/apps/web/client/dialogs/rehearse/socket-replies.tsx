import type { ReactElement } from "react";
import type { RehearsedReply, SocketReplies } from "../../../../../core/edit/rehearse.ts";
import type { Materia } from "../../../../../core/model/materia.ts";
import { Button } from "../../parts/controls/button.tsx";
import { SegmentedControl } from "../../parts/controls/fields.tsx";
import { MateriaIcon } from "../../parts/marks/orb.tsx";
import { parseReplies } from "./read-replies.ts";
import { ReplyFields } from "./reply-fields.tsx";
import type { ReplyDraft, SocketReplyDraft } from "./use-replies.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";
import fieldsSheet from "../../parts/controls/fields.module.css";
import rehearseSheet from "./rehearse.module.css";

const css = bindClassNames(rehearseSheet, fieldsSheet, dialogSheet, controlsSheet, baseSheet);

/** What one socket answers, visit by visit. */
export function SocketReplies(props: {
  readonly given: SocketReplyDraft;
  readonly seated: Materia | undefined;
  readonly onChange: (answers: ReplyDraft) => void;
}): ReactElement {
  const { given, seated, onChange } = props;
  const { socket, materia, replyShape: asks, draft: answers, isChanged } = given;
  const back = repliesAsFields(answers, asks);
  return (
    <fieldset className={css("socket-replies")}>
      <legend className={css("row wrap")}>
        <MateriaIcon materia={seated} size="sm" />
        <b className={css("breakable")}>{materia}</b>
        <span className={css("faint")}>{socket}</span>
        <span className={css("faint grow")}>{isChanged ? "changed" : ""}</span>
        <SegmentedControl
          label={`How the replies of ${socket} are written`}
          value={answers.kind}
          options={[
            { value: "fields", label: "fields", ...(back ? {} : { title: "It says more than fields can hold" }) },
            { value: "text", label: "text" },
          ]}
          onPick={(kind) => {
            if (kind === "text") onChange({ kind, text: repliesAsText(answers) });
            else if (back) onChange(back);
          }}
        />
      </legend>
      {answers.kind === "text" ? (
        <ReplyTextArea socket={socket} text={answers.text} onType={(text) => onChange({ kind: "text", text })} />
      ) : (
        <ReplyFieldList
          given={given}
          replies={answers.replies}
          onChange={(replies) => onChange({ kind: "fields", replies })}
        />
      )}
    </fieldset>
  );
}

function ReplyFieldList(props: {
  readonly given: SocketReplyDraft;
  readonly replies: readonly RehearsedReply[];
  readonly onChange: (replies: readonly RehearsedReply[]) => void;
}): ReactElement {
  const { given, replies, onChange } = props;
  const { socket, replyShape: asks } = given;
  const last = replies.at(-1) ?? given.replies.at(-1);
  return (
    <>
      {replies.map((reply, index) => (
        <ReplyFields
          // They have no names; their order is what they are.
          key={index}
          label={`Reply ${index + 1} of ${socket}`}
          asks={asks}
          reply={reply}
          onChange={(next) => onChange(replies.with(index, next))}
          onRemove={replies.length > 1 ? () => onChange(replies.toSpliced(index, 1)) : null}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...replies, last ?? { text: "" }])}>
          {`Another reply of ${socket}`}
        </Button>
      </div>
    </>
  );
}

function ReplyTextArea(props: {
  readonly socket: string;
  readonly text: string;
  readonly onType: (text: string) => void;
}): ReactElement {
  const { socket, text, onType } = props;
  const { fault } = parseReplies(text);
  return (
    <>
      <span className={css(`field ${fault === null ? "" : "bad"}`)}>
        <textarea
          className={css("monospace")}
          aria-label={`Replies of ${socket}`}
          aria-invalid={fault !== null || undefined}
          spellCheck={false}
          rows={Math.min(8, text.split("\n").length + 1)}
          value={text}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
      {fault !== null && <span className={css("fault")}>{fault}</span>}
    </>
  );
}

function repliesAsText(answers: ReplyDraft): string {
  return answers.kind === "text" ? answers.text : answers.replies.map((reply) => JSON.stringify(reply)).join("\n");
}

/** The same as fields; null where it says more than they can hold: tools, failures, another shape. */
function repliesAsFields(answers: ReplyDraft, asks: SocketReplies["replyShape"]): ReplyDraft | null {
  if (answers.kind === "fields") return answers;
  const { replies } = parseReplies(answers.text);
  const key = asks === "text" ? "text" : "json";
  const isPlain = (reply: object): reply is RehearsedReply =>
    Object.keys(reply).join() === key && (key === "text" || isObject((reply as { readonly json: unknown }).json)); // its one key
  return replies !== null && replies.length > 0 && replies.every(isPlain) ? { kind: "fields", replies } : null;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
