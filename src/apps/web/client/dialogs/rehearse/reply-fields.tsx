import type { ReactElement } from "react";
import type { RehearsedReply, SocketReplies } from "../../../../../core/edit/rehearse.ts";
import { isJsonObject, type JsonObject } from "../../../../../core/model/values/json.ts";
import { Button } from "../../parts/controls/button.tsx";
import { SegmentedControl, TextField } from "../../parts/controls/fields.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import rehearseSheet from "./rehearse.module.css";

const replyFieldsCss = bindClassNames(rehearseSheet, controlsSheet, baseSheet);

/** One answer: whether it is satisfied, what it says, and the work items that it makes. */
export function ReplyFields(props: {
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
    <div className={replyFieldsCss("reply")} role="group" aria-label={label}>
      {asks !== "text" && asks.satisfied && (
        <SegmentedControl
          label={`${label}: satisfied`}
          value={json["satisfied"] === false ? "no" : "yes"}
          options={[
            { value: "yes", label: "satisfied" },
            { value: "no", label: "not satisfied" },
          ]}
          onPick={(value) => set({ satisfied: value === "yes" })}
        />
      )}
      <span className={replyFieldsCss("field grow")}>
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
        <WorkItemFields label={label} items={workItemsOf(json)} onChange={(workItems) => set({ workItems: [...workItems] })} />
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
    <div className={replyFieldsCss("reply-items")}>
      {items.map((item, index) => (
        // They may be called alike.
        <div key={index} className={replyFieldsCss("row")}>
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
