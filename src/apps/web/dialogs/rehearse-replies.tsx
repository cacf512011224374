import type { ReactElement } from "react";
import type { RehearsedReply, SocketReplies } from "../../../core/edit/rehearsal-replies.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";
import { SegmentedControl, TextField } from "../ui/fields.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { parseReplies, type ReplyDraft, type SocketReplyDraft } from "./use-rehearsal-replies.ts";
import { bindSheets } from "../ui/classes.ts";
import rehearseSheet from "./rehearse.module.css";
import { isJsonObject, type JsonObject } from "../../../core/model/json.ts";

const css = bindSheets(rehearseSheet);

/** The replies of one socket, visit by visit. */
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
          options={{ fields: "fields", text: "text" }}
          titles={back ? {} : { fields: "These replies do not fit into fields" }}
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
          // The index is the key: replies have no id.
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

/** The replies as fields; null if fields cannot hold them: tools, failures, another shape. */
function repliesAsFields(answers: ReplyDraft, asks: SocketReplies["replyShape"]): ReplyDraft | null {
  if (answers.kind === "fields") return answers;
  const { replies } = parseReplies(answers.text);
  const key = asks === "text" ? "text" : "json";
  const isPlain = (reply: object): reply is RehearsedReply =>
    Object.keys(reply).join() === key && (key === "text" || isJsonObject((reply as { readonly json: unknown }).json)); // its one key
  return replies !== null && replies.length > 0 && replies.every(isPlain) ? { kind: "fields", replies } : null;
}

/** One reply: satisfied or not, context and work items. */
function ReplyFields(props: {
  readonly label: string;
  readonly asks: SocketReplies["replyShape"];
  readonly reply: RehearsedReply;
  readonly onChange: (reply: RehearsedReply) => void;
  readonly onRemove: (() => void) | null;
}): ReactElement {
  const { label, asks, reply, onChange, onRemove } = props;
  const json = "json" in reply ? reply.json : {};
  const set = (part: JsonObject): void => onChange({ json: { ...json, ...part } });
  return (
    <div className={css("reply")} role="group" aria-label={label}>
      {asks !== "text" && asks.satisfied && (
        <SegmentedControl
          label={`${label}: satisfied`}
          value={json["satisfied"] === false ? "no" : "yes"}
          options={{ yes: "satisfied", no: "not satisfied" }}
          onPick={(value) => set({ satisfied: value === "yes" })}
        />
      )}
      <span className={css("field grow")}>
        <textarea
          aria-label={asks === "text" ? `${label}: text` : `${label}: context`}
          rows={2}
          value={"text" in reply ? reply.text : contextOf(json)}
          onChange={(event) =>
            asks === "text" ? onChange({ text: event.target.value }) : set({ context: event.target.value })
          }
        />
      </span>
      {onRemove && <Button look="bare" icon="bin" label={`Remove: ${label}`} onClick={onRemove} />}
      {asks !== "text" && asks.workItems && (
        <WorkItemFields
          label={label}
          items={workItemsOf(json)}
          onChange={(workItems) => set({ workItems: [...workItems] })}
        />
      )}
    </div>
  );
}

function WorkItemFields(props: {
  readonly label: string;
  readonly items: readonly JsonObject[];
  readonly onChange: (items: readonly JsonObject[]) => void;
}): ReactElement {
  const { label, items, onChange } = props;
  const setAt = (index: number, part: JsonObject): void => onChange(items.with(index, { ...items[index], ...part }));
  return (
    <div className={css("reply-items")}>
      {items.map((item, index) => (
        // The index is the key: titles may repeat.
        <div key={index} className={css("row")}>
          <TextField
            label={`${label}: title of item ${index + 1}`}
            value={stringOrEmpty(item["title"])}
            placeholder="Title"
            onType={(title) => setAt(index, { title })}
          />
          <TextField
            label={`${label}: context of item ${index + 1}`}
            value={stringOrEmpty(item["context"])}
            placeholder="Context"
            onType={(context) => setAt(index, { context })}
          />
          <Button
            look="bare"
            icon="bin"
            label={`Remove item ${index + 1} of ${label}`}
            onClick={() => onChange(items.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...items, { title: `Item ${items.length + 1}`, context: "" }])}>
          Add a work item
        </Button>
      </div>
    </div>
  );
}

function workItemsOf({ workItems }: JsonObject): readonly JsonObject[] {
  return Array.isArray(workItems) ? workItems.filter(isJsonObject) : [];
}

function contextOf({ context }: JsonObject): string {
  return stringOrEmpty(context);
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
