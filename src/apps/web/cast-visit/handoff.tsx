import { useState, type ReactElement } from "react";
import * as v from "valibot";
import { isJsonObject, parseJson, type JsonObject } from "../../../core/model/json.ts";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { CodeTokens } from "../ui/code-tokens.tsx";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import readerSheet from "./visit.module.css";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { eventsOfVisit } from "../../../core/history/visits.ts";
import { countedText } from "../../../core/model/text.ts";
import type { VisitProps } from "./visit-panel.tsx";
import { CopyButton } from "../ui/toasts.tsx";

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

export function readableHandoff(text: string): JsonObject | null {
  const value = text.trimStart().startsWith("{") ? parseJson(text) : undefined;
  const isKnown = isJsonObject(value) && Object.keys(value).some((key) => READABLE_FIELDS.has(key));
  return isKnown && v.is(ReadableHandoff, value) ? value : null;
}

/** [W49] An answer, a plan and work items as a person reads them; the JSON is one click away. */
export function HandoffCard({ handoff }: { readonly handoff: JsonObject }): ReactElement {
  const [isRaw, setRaw] = useState(false);
  const read = v.safeParse(ReadableHandoff, handoff);
  const isSatisfied = read.success ? read.output.satisfied : undefined;
  const json = JSON.stringify(handoff, null, 2);
  const others = Object.entries(handoff).filter(([key]) => !READABLE_FIELDS.has(key));
  return (
    <div className={css("handoff-card")}>
      <div className={css("row")}>
        {isSatisfied !== undefined && (
          <span className={css(isSatisfied ? "status good" : "status rework")}>
            <Icon name={isSatisfied ? "tick" : "not_satisfied"} />
            {isSatisfied ? "Satisfied" : "Not satisfied"}
          </span>
        )}
        <span className={css("grow")} />
        {read.success && (
          <Button look="bare" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? "Show as text" : "Show as JSON"}
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
          {read.output.workItems && (
            <ol className={css("work-items")} aria-label="Work items">
              {read.output.workItems.map((item, index) => {
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
          )}
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

const FOUND_TEXTS = {
  exact: "The reply was only the JSON object.",
  fenced: "The JSON object was in a code fence.",
  embedded: "The JSON object was inside other text.",
  tool: "It was given by a call of hand_over.",
} as const;

export function HandoffTab({ cast, visit }: VisitProps): ReactElement {
  const handoffRows = eventsOfVisit(cast.replay.events(), visit)
    .map((event) => ({ seq: event.seq, row: renderHandoffEvent(event) }))
    .filter(({ row }) => row !== null);
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Handoff">
      {handoffRows.map(({ seq, row }) => (
        <div key={seq} className={css("handed")}>
          {row}
        </div>
      ))}
      {handoffRows.length === 0 && <p className={css("faint")}>No handoff yet.</p>}
    </div>
  );
}

function renderHandoffEvent(event: CastEvent): ReactElement | null {
  switch (event.type) {
    case "handoff_accepted":
      return (
        <>
          <p className={css("secondary")}>
            {event.approved ? "A person accepted it. " : ""}
            {FOUND_TEXTS[event.found]}
          </p>
          {event.dropped.length > 0 && (
            <p className={css("secondary")}>
              Ignored:{" "}
              <del>
                <code>{event.dropped.join(", ")}</code>
              </del>
            </p>
          )}
          {event.hints?.map((hint) => (
            <p key={hint} className={css("faint")}>
              {hint}
            </p>
          ))}
          <HandoffCard handoff={event.handoff} />
        </>
      );
    case "handoff_rejected":
      return (
        <div className={css("note rework")}>
          <b>{`Reply ${event.attempt} was rejected`}</b>
          <ul>
            {event.issues.map((issue) => (
              <li key={issue}>{issue}</li>
            ))}
          </ul>
        </div>
      );
    case "output_accepted":
      return (
        <>
          <p className={css("secondary")}>
            {`Plain text of ${countedText(event.chars, "character")}; no fields are read from it.`}
          </p>
          <pre className={css("told")}>{event.text}</pre>
        </>
      );
    case "turn_failed":
      return <div className={css("note bad")}>{event.message}</div>;
    default:
      return null;
  }
}
