import type { CastEvent } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { tokensOf } from "../../cast/state/usage.ts";
import { diffLines } from "../../edit/text/lines.ts";
import { cut } from "../../model/values/text.ts";
import { millisOf } from "../../view/numbers.ts";
import type { ComparedCasts, ComparedSide } from "../../wire/testing.ts";
import { outcomeOf } from "../observed.ts";

/** A cast as far as it is compared. */
export interface CastBeside {
  readonly castId: string;
  readonly state: CastState;
  readonly events: readonly CastEvent[];
  readonly file: { readonly loadout: { readonly name: string } };
}

/** What is longer is not read beside another. */
const MOST_HANDED = 20_000;

/** [T25] Visits of the same sockets in the same order stand beside each other, the fewest of them alone. */
export function compareCasts(first: CastBeside, second: CastBeside): Omit<ComparedCasts, "files"> {
  const [left, right] = [visitsOf(first.events), visitsOf(second.events)];
  const visits = alignedVisits(left, right).map(([a, b]) => {
    const same = a !== undefined && b !== undefined && a.socket === b.socket && a.handed === b.handed;
    const shown = (visit: Handed | undefined) =>
      visit === undefined
        ? null
        : {
            visit: `${visit.socket}#${visit.number}`,
            materia: visit.materia,
            handed: same || visit.handed === null ? null : cut(visit.handed, MOST_HANDED),
          };
    return { left: shown(a), right: shown(b), same };
  });
  return { first: sideOf(first), second: sideOf(second), visits };
}

function sideOf({ castId, state, events, file }: CastBeside): ComparedSide {
  const lasted = millisOf(events.at(-1)?.at ?? null, 0) - millisOf(events[0]?.at ?? null, 0);
  return {
    castId,
    loadout: file.loadout.name,
    outcome: outcomeOf(state),
    visits: state.done.visits,
    itemsDone: state.done.itemsDone,
    tokens: tokensOf(state.usage),
    cost: state.usage.cost,
    seconds: Math.max(0, lasted) / 1000,
  };
}

interface Handed {
  readonly socket: string;
  readonly number: number;
  readonly materia: string;
  readonly handed: string | null;
}

/** What a visit handed on belongs to it, also where the one before handed nothing. */
function visitsOf(events: readonly CastEvent[]): readonly Handed[] {
  const visits: Handed[] = [];
  for (const event of events) {
    const last = visits.at(-1);
    if (event.type === "visit_started")
      visits.push({ socket: event.socket, number: event.visit, materia: event.materia, handed: null });
    else if (last && event.type === "handoff_accepted")
      visits[visits.length - 1] = { ...last, handed: JSON.stringify(event.handoff, null, 2) };
    else if (last && event.type === "output_accepted") visits[visits.length - 1] = { ...last, handed: event.text };
  }
  return visits;
}

type Beside = readonly [Handed | undefined, Handed | undefined];

function alignedVisits(left: readonly Handed[], right: readonly Handed[]): readonly Beside[] {
  const rows: Beside[] = [];
  let [a, b] = [0, 0];
  for (const { kind } of diffLines(socketsOf(left), socketsOf(right))) {
    const last = rows.at(-1);
    if (kind === "same") rows.push([left[a++], right[b++]]);
    else if (kind === "gone") rows.push([left[a++], undefined]);
    // What came in the place of another stands beside it.
    else if (last && last[0] && !last[1]) rows[rows.length - 1] = [last[0], right[b++]];
    else rows.push([undefined, right[b++]]);
  }
  return rows.filter(([one, other]) => one ?? other);
}

function socketsOf(visits: readonly Handed[]): string {
  return visits.map(({ socket }) => socket).join("\n");
}
