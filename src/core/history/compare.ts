import type { CastEvent } from "../cast/state/event.ts";
import type { CastState } from "../cast/state/state.ts";
import { totalTokens } from "../cast/state/usage.ts";
import { diffLines } from "../model/diff.ts";
import { truncate } from "../model/text.ts";
import { castStatus } from "../cast/summary.ts";
import { foldVisits, resultText, visitKey, type VisitRecord } from "./visits.ts";
import * as v from "valibot";
import { wholeNumber } from "../model/schemas.ts";

export interface ComparedCast {
  readonly castId: string;
  readonly state: CastState;
  readonly events: readonly CastEvent[];
  readonly file: { readonly loadout: { readonly name: string } };
  /** Without waits, and without the time before a fork. */
  readonly workedMs: number;
}

/** Characters of a handoff that a comparison shows. */
const MAX_HANDOFF_LENGTH = 20_000;

/** [T44] Visits of the same sockets in the same order share a row; as few visits as possible stand alone. */
export function compareCasts(first: ComparedCast, second: ComparedCast): Omit<CastComparison, "files"> {
  const [left, right] = [foldVisits(first.events), foldVisits(second.events)];
  const visits = alignVisits(left, right).map(([a, b]) => {
    const [handedA, handedB] = [a ? resultText(a) : null, b ? resultText(b) : null];
    const same = a !== undefined && b !== undefined && a.socket === b.socket && handedA === handedB;
    const shown = (visit: VisitRecord | undefined, text: string | null) => {
      const handed = same || text === null ? null : truncate(text, MAX_HANDOFF_LENGTH);
      return visit ? { visit: visitKey(visit.socket, visit.visit), materia: visit.materia, handed } : null;
    };
    return { left: shown(a, handedA), right: shown(b, handedB), same };
  });
  return { first: comparedSideOf(first), second: comparedSideOf(second), visits };
}

function comparedSideOf({ castId, state, events, file, workedMs }: ComparedCast): ComparedSide {
  return {
    castId,
    loadout: file.loadout.name,
    outcome: castStatus(state, false),
    models: [...new Set(foldVisits(events).flatMap(({ model }) => (model === null ? [] : [model])))],
    visits: state.done.visits,
    itemsDone: state.done.itemsDone,
    tokens: totalTokens(state.usage),
    cost: state.usage.cost,
    seconds: workedMs / 1000,
  };
}

type VisitPair = readonly [VisitRecord | undefined, VisitRecord | undefined];

function alignVisits(left: readonly VisitRecord[], right: readonly VisitRecord[]): readonly VisitPair[] {
  const rows: VisitPair[] = [];
  let [a, b] = [0, 0];
  for (const { kind } of diffLines(socketList(left), socketList(right))) {
    const last = rows.at(-1);
    if (kind === "same") rows.push([left[a++], right[b++]]);
    else if (kind === "gone") rows.push([left[a++], undefined]);
    // A visit that replaces another shares its row.
    else if (last && last[0] && !last[1]) rows[rows.length - 1] = [last[0], right[b++]];
    else rows.push([undefined, right[b++]]);
  }
  return rows.filter(([one, other]) => one ?? other);
}

function socketList(visits: readonly VisitRecord[]): string {
  return visits.map(({ socket }) => socket).join("\n");
}

export const ComparedSide = v.object({
  castId: v.string(),
  loadout: v.string(),
  outcome: v.string(),
  models: v.array(v.string()),
  visits: wholeNumber(0),
  itemsDone: wholeNumber(0),
  tokens: v.number(),
  cost: v.number(),
  seconds: v.number(),
});

export type ComparedSide = v.InferOutput<typeof ComparedSide>;

const ComparedVisit = v.object({
  /** `Socket-5#2`. */
  visit: v.string(),
  materia: v.string(),
  /** What it handed on; null where both sides are equal. */
  handed: v.nullable(v.string()),
});

/** [T25] Two casts side by side: visits that correspond share a row. */
export const CastComparison = v.object({
  first: ComparedSide,
  second: ComparedSide,
  visits: v.array(v.object({ left: v.nullable(ComparedVisit), right: v.nullable(ComparedVisit), same: v.boolean() })),
  /** The files that differ at the end; null unless both casts have checkpoints. */
  files: v.nullable(v.array(v.string())),
});

export type CastComparison = v.InferOutput<typeof CastComparison>;
