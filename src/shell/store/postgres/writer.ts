import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { redactEvent } from "../../secrets/events.ts";
import type { CurrentCast } from "../cast-store.ts";
import { startedSummary, sufficesForSummary } from "../summary.ts";
import { appendEvents } from "./append.ts";
import type { OwnedCastContext } from "./owned.ts";
import { readCastEnds, readCurrentCast } from "./read.ts";
import type { ScratchArtifacts } from "./scratch.ts";

/** Another has the claim, or the place is another; or what else stood in the way, in words. */
export type WriteFailure = { readonly kind: "lost" } | { readonly kind: "failed"; readonly problem: string };

/** Who writes the events of an owned cast, and tells a listing how it stands. */
export interface EventWriter {
  readonly load: (known?: CurrentCast) => Promise<Result<CurrentCast>>;
  readonly write: (events: readonly CastEvent[], after: number) => Promise<WriteFailure | undefined>;
}

/** The first event and as many of the last as a listing needs. */
interface SummaryEvents {
  readonly first: CastEvent | undefined;
  readonly last: readonly CastEvent[];
}

export function createEventWriter(parts: OwnedCastContext, artifacts: ScratchArtifacts): EventWriter {
  const { castId, claim, database, notify: tell } = parts;
  const { redact = (text: string) => text } = parts.writeOptions;
  let told: SummaryEvents | undefined;
  return {
    load: async (known) => {
      told = undefined;
      return known && known.stamp === (await stampOf(parts)) ? ok(known) : readCurrentCast(database, castId, parts.location);
    },
    write: async (given, after) => {
      const events = given.map((event) => redactEvent(event, redact));
      told ??= await readSummaryEvents(parts);
      const next: SummaryEvents = { first: told.first ?? events[0], last: keepSummaryEvents([...told.last, ...events]) };
      const summary = await summarize(castId, next);
      if (!summary) return writeFailure("the first event of a cast is its start");
      const pack = await parts.packFor?.(castId, events);
      if (typeof pack === "string") return writeFailure(`the files cannot be kept: ${pack}`);
      const done = await appendEvents(database, {
        castId,
        claim,
        after,
        events: events.map((event) => JSON.stringify(event)),
        status: summary.status,
        summary,
        completesVisit: events.some(({ type }) => type === "visit_completed"),
        artifacts: artifacts.takePending(events),
        ...(pack ? { pack } : {}),
      });
      if (done === "lost") return { kind: "lost" };
      told = next;
      tell(castId);
      return undefined;
    },
  };
}

function writeFailure(problem: string): WriteFailure {
  return { kind: "failed", problem };
}

async function stampOf({ database, castId }: OwnedCastContext): Promise<string | undefined> {
  const [row] = await database.query<{ stamp: string }>({
    text: `select extract(epoch from created_at)::text || ' ' || seq as stamp from materia.casts where cast_id = $1`,
    values: [castId],
  });
  return row?.stamp;
}

async function readSummaryEvents({ database, castId }: OwnedCastContext): Promise<SummaryEvents> {
  const { first, last } = await readCastEnds(database, castId, sufficesForSummary);
  return { first, last };
}

async function summarize(castId: CastId, { first, last }: SummaryEvents): Promise<CastSummary | undefined> {
  return first && startedSummary(castId, { first, last, unread: 0 }, async () => true);
}

/** No more than a listing needs: the middle of a cast may be long. */
function keepSummaryEvents(events: readonly CastEvent[]): readonly CastEvent[] {
  const from = events.findLastIndex((_event, at) => sufficesForSummary(events.slice(at)));
  return events.slice(Math.max(0, from));
}
