import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { redactEvent } from "../../secrets/events.ts";
import type { CurrentCast } from "../cast-store.ts";
import { begunSummary, tellsEnough } from "../summary.ts";
import { append } from "./append.ts";
import type { OwnedParts } from "./owned.ts";
import { castEnds, currentCast } from "./read.ts";
import type { ScratchArtifacts } from "./scratch.ts";

/** Another has the claim, or the place is another; or what else stood in the way, in words. */
export type Unwritten = { readonly kind: "lost" } | { readonly kind: "failed"; readonly problem: string };

/** Who writes the events of an owned cast, and tells a listing how it stands. */
export interface Writer {
  readonly load: (known?: CurrentCast) => Promise<Result<CurrentCast>>;
  readonly write: (events: readonly CastEvent[], after: number) => Promise<Unwritten | undefined>;
}

/** The first event and as many of the last as a listing needs. */
interface Told {
  readonly first: CastEvent | undefined;
  readonly last: readonly CastEvent[];
}

export function openWriter(parts: OwnedParts, artifacts: ScratchArtifacts): Writer {
  const { castId, claim, database, tell } = parts;
  const { redact = (text: string) => text } = parts.how;
  let told: Told | undefined;
  return {
    load: async (known) => {
      told = undefined;
      return known && known.stamp === (await stampOf(parts)) ? ok(known) : currentCast(database, castId, parts.place);
    },
    write: async (given, after) => {
      const events = given.map((event) => redactEvent(event, redact));
      told ??= await endsOf(parts);
      const next: Told = { first: told.first ?? events[0], last: enoughOf([...told.last, ...events]) };
      const summary = await summaryOf(castId, next);
      if (!summary) return failed("the first event of a cast is its start");
      const pack = await parts.packOf?.(castId, events);
      if (typeof pack === "string") return failed(`the files cannot be kept: ${pack}`);
      const done = await append(database, {
        castId,
        claim,
        after,
        events: events.map((event) => JSON.stringify(event)),
        status: summary.status,
        summary,
        hasAdvanced: events.some(({ type }) => type === "visit_completed"),
        artifacts: artifacts.due(events),
        ...(pack ? { pack } : {}),
      });
      if (done === "lost") return { kind: "lost" };
      told = next;
      tell(castId);
      return undefined;
    },
  };
}

function failed(problem: string): Unwritten {
  return { kind: "failed", problem };
}

async function stampOf({ database, castId }: OwnedParts): Promise<string | undefined> {
  const [row] = await database.rows<{ stamp: string }>({
    text: `select extract(epoch from created_at)::text || ' ' || seq as stamp from materia.casts where cast_id = $1`,
    values: [castId],
  });
  return row?.stamp;
}

async function endsOf({ database, castId }: OwnedParts): Promise<Told> {
  const { first, last } = await castEnds(database, castId, tellsEnough);
  return { first, last };
}

async function summaryOf(castId: CastId, { first, last }: Told): Promise<CastSummary | undefined> {
  return first && begunSummary(castId, { first, last, unread: 0 }, async () => true);
}

/** No more than a listing needs: the middle of a cast may be long. */
function enoughOf(events: readonly CastEvent[]): readonly CastEvent[] {
  const from = events.findLastIndex((_event, at) => tellsEnough(events.slice(at)));
  return events.slice(Math.max(0, from));
}
