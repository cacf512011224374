import { useState, type ReactElement } from "react";
import * as v from "valibot";
import { isJsonObject, type JsonObject } from "../../../core/model/json.ts";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { CodeTokens } from "../ui/code-tokens.tsx";
import { CopyButton } from "../ui/export-text.tsx";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import readerSheet from "./visit.module.css";

const css = bindSheets(readerSheet);

/** The fields that are drawn; any other is shown as JSON. */
const ReadableHandoff = v.object({
  satisfied: v.optional(v.boolean()),
  context: v.optional(v.string()),
  workItems: v.optional(
    v.array(v.union([v.string(), v.looseObject({ title: v.string(), context: v.optional(v.string()) })])),
  ),
});

const READABLE_FIELDS: ReadonlySet<string> = new Set(Object.keys(ReadableHandoff.entries));

/** Whether a text is a handoff that has a card. */
export function readableHandoff(text: string): JsonObject | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isKnown = isJsonObject(value) && Object.keys(value).some((key) => READABLE_FIELDS.has(key));
    return isKnown && v.is(ReadableHandoff, value) ? value : null;
  } catch {
    return null;
  }
}

/** [W49] An answer, a plan and work items as a person reads them; the JSON is one click away. */
export function HandoffCard({ handoff }: { readonly handoff: JsonObject }): ReactElement {
  const [isRaw, setRaw] = useState(false);
  const read = v.safeParse(ReadableHandoff, handoff);
  const json = JSON.stringify(handoff, null, 2);
  const others = Object.entries(handoff).filter(([key]) => !READABLE_FIELDS.has(key));
  return (
    <div className={css("handoff-card")}>
      <div className={css("row")}>
        {read.success && <SatisfiedMark satisfied={read.output.satisfied} />}
        <span className={css("grow")} />
        {read.success && (
          <Button look="bare" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            JSON
          </Button>
        )}
        <CopyButton text={json} what="the handoff" />
      </div>
      {isRaw || !read.success ? (
        <pre className={css("code wrap")}>
          <CodeTokens text={json} language="json" />
        </pre>
      ) : (
        <>
          {read.output.context !== undefined && read.output.context !== "" && <Markdown text={read.output.context} />}
          {read.output.workItems && <WorkItems items={read.output.workItems} />}
          {others.length > 0 && (
            <pre className={css("code wrap")}>
              <CodeTokens text={JSON.stringify(Object.fromEntries(others), null, 2)} language="json" />
            </pre>
          )}
        </>
      )}
    </div>
  );
}

function SatisfiedMark({ satisfied }: { readonly satisfied: boolean | undefined }): ReactElement | null {
  if (satisfied === undefined) return null;
  return (
    <span className={css(satisfied ? "status good" : "status rework")}>
      <Icon name={satisfied ? "tick" : "not_satisfied"} />
      {satisfied ? "Satisfied" : "Not satisfied"}
    </span>
  );
}

function WorkItems(props: {
  readonly items: readonly (string | { readonly title: string; readonly context?: string | undefined })[];
}): ReactElement {
  return (
    <ol className={css("work-items")} aria-label="Work items">
      {props.items.map((item, index) => {
        const { title, context = "" } = typeof item === "string" ? { title: item } : item;
        return (
          // The index is the key: titles may repeat.
          <li key={index} dir="auto">
            <b>{title}</b>
            {context !== "" && <Markdown text={context} />}
          </li>
        );
      })}
    </ol>
  );
}
