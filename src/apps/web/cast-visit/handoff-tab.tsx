import type { ReactElement } from "react";
import type { CastEvent, EventOf } from "../../../core/cast/state/event.ts";
import { eventsOfVisit } from "../../../core/history/visits.ts";
import { countedText } from "../../../core/model/text.ts";
import { bindSheets } from "../ui/classes.ts";
import { HandoffCard } from "./handoff-card.tsx";
import type { VisitProps } from "./visit-panel.tsx";
import readerSheet from "./visit.module.css";

const css = bindSheets(readerSheet);

const FOUND_TEXTS = {
  exact: "The reply was only the JSON object.",
  fenced: "The JSON object was in a code fence.",
  embedded: "The JSON object was inside other text.",
  tool: "It was given by a call of hand_over.",
} as const;

/** The handoff and how it was read: dropped fields, rejected replies, repair turns. */
export function HandoffTab({ cast, visit }: VisitProps): ReactElement {
  const events = eventsOfVisit(cast.replay.events(), visit);
  const told = events.flatMap((event) => {
    const shown = renderHandoffEvent(event);
    return shown ? [<div key={event.seq}>{shown}</div>] : [];
  });
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Handoff">
      {told}
      {told.length === 0 && <p className={css("faint")}>Nothing handed on yet.</p>}
    </div>
  );
}

function renderHandoffEvent(event: CastEvent): ReactElement | null {
  switch (event.type) {
    case "handoff_accepted":
      return <AcceptedHandoff event={event} />;
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
          <p
            className={css("secondary")}
          >{`Plain text of ${countedText(event.chars, "character")}; no fields are read from it.`}</p>
          <pre className={css("told")}>{event.text}</pre>
        </>
      );
    case "turn_failed":
      return <div className={css("note bad")}>{event.message}</div>;
    default:
      return null;
  }
}

function AcceptedHandoff({ event }: { readonly event: EventOf<"handoff_accepted"> }): ReactElement {
  return (
    <>
      <p className={css("secondary")}>
        {event.approved ? "A person accepted it. " : ""}
        {FOUND_TEXTS[event.found]}
      </p>
      {event.dropped.length > 0 && (
        <p className={css("secondary")}>
          Ignored:{" "}
          {event.dropped.map((name) => (
            <del key={name}>
              <code>{name}</code>
            </del>
          ))}
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
}
