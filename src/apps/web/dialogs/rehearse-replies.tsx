import { useMemo, useState, type ReactElement } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import {
  generateReplies,
  repliesFromCast,
  type RehearsedReply,
  type SocketReplies,
} from "../../../core/edit/rehearsal-replies.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { getCast } from "../net/api.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";
import { SegmentedControl, TextField } from "../ui/fields.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { bindSheets } from "../ui/classes.ts";
import rehearseSheet from "./rehearse.module.css";
import { isJsonObject, type JsonObject } from "../../../core/model/json.ts";

const css = bindSheets(rehearseSheet);

interface SocketReplyDraft extends SocketReplies {
  readonly isChanged: boolean;
}

type EarlierCast = Parameters<typeof repliesFromCast>[1] & { readonly castId: string };

/** [E30] The replies of each socket: made up, or of an earlier cast, and then as a person changed them. */
export function useRehearsalReplies(graph: Graph) {
  const [items, setItems] = useState("2");
  const [past, setPast] = useState<EarlierCast | null>(null);
  const [changed, setChanged] = useState<Readonly<Record<string, readonly RehearsedReply[]>>>({});
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const typed = Number(items);
  const count = Number.isSafeInteger(typed) && typed >= 0 && typed <= 200 ? typed : 2;
  const base = useMemo(() => {
    const made = generateReplies(graph, count);
    return past ? repliesFromCast(made, past) : made;
  }, [graph, count, past]);
  const sockets = base.map((each): SocketReplyDraft => {
    const own = changed[each.socket];
    return { ...each, replies: own ?? each.replies, isChanged: own !== undefined };
  });
  const takeFrom = async (castId: string | null): Promise<void> => {
    setIssues([]);
    const answer = castId === null ? null : await getCast(castId);
    if (answer && !answer.ok) return setIssues(answer.issues);
    setChanged({});
    setPast(
      answer && castId !== null ? { castId, graph: answer.value.castFile.graph, events: answer.value.events } : null,
    );
  };
  return {
    sockets,
    items,
    setItems,
    sourceCastId: past?.castId ?? null,
    loadFromCast: (castId: string | null) => void takeFrom(castId),
    change: (socket: string, replies: readonly RehearsedReply[]) => setChanged({ ...changed, [socket]: replies }),
    issues,
    buildReplies: () => Object.fromEntries(sockets.map(({ socket, replies }) => [socket, [...replies]])),
  };
}

export function SocketReplyFields(props: {
  readonly given: SocketReplyDraft;
  readonly seated: Materia | undefined;
  readonly onChange: (replies: readonly RehearsedReply[]) => void;
}): ReactElement {
  const { given, seated, onChange } = props;
  const { socket, materia, replyShape, replies, isChanged } = given;
  return (
    <fieldset className={css("socket-replies")}>
      <legend className={css("row wrap")}>
        <MateriaIcon materia={seated} size="sm" />
        <b className={css("breakable")}>{materia}</b>
        <span className={css("faint")}>{socket}</span>
        <span className={css("faint grow")}>{isChanged ? "changed" : ""}</span>
      </legend>
      {replies.map((reply, index) => (
        <ReplyFields
          // The index is the key: replies have no id.
          key={index}
          label={`Reply ${index + 1} of ${socket}`}
          asks={replyShape}
          reply={reply}
          onChange={(next) => onChange(replies.with(index, next))}
          onRemove={replies.length > 1 ? () => onChange(replies.toSpliced(index, 1)) : null}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...replies, replies.at(-1) ?? { text: "" }])}>
          {`Another reply of ${socket}`}
        </Button>
      </div>
    </fieldset>
  );
}

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
          value={"text" in reply ? reply.text : stringOrEmpty(json["context"])}
          onChange={(event) =>
            asks === "text" ? onChange({ text: event.target.value }) : set({ context: event.target.value })
          }
        />
      </span>
      {onRemove && <Button look="bare" icon="bin" label={`Remove: ${label}`} onClick={onRemove} />}
      {asks !== "text" && asks.workItems && (
        <WorkItemFields
          label={label}
          items={Array.isArray(json["workItems"]) ? json["workItems"].filter(isJsonObject) : []}
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

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
