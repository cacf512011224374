import type { CastStep } from "../../cast/step.ts";
import type { CastEvent } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { NO_USAGE, addUsage, tokensOf } from "../../cast/state/usage.ts";
import type { Usage } from "../../cast/state/usage.ts";
import { socketOf } from "../../compile/graph.ts";
import { itemKey } from "../../model/handoff.ts";
import { harmless } from "../../model/values/text.ts";
import { nameText } from "../graph/words.ts";
import { amountText, clockText, millisOf } from "../numbers.ts";
import { titleText } from "../tell/handed.ts";
import { padColumns } from "../text/columns.ts";
import { fitLine, line, toned } from "../text/line.ts";
import type { Line } from "../text/line.ts";
import { placeOf } from "./path.ts";
import { usedAfter } from "./used.ts";

/** [V15] The casts of items that are at work now, by their ids. */
export type Lanes = ReadonlyMap<string, Lane>;

interface Lane {
  readonly state: CastState;
  readonly since: string;
  /** [B28] Which worker of a fleet has it. */
  readonly worker?: string;
  /** What the turn in hand has used so far. */
  readonly used: Usage;
}

export const NO_LANES: Lanes = new Map();

/** One step of the cast of an item further. */
export function followLane(lanes: Lanes, { event, after }: CastStep): Lanes {
  const next = new Map(lanes);
  if (event.type === "cast_ended") next.delete(after.castId);
  else {
    const before = lanes.get(after.castId);
    next.set(after.castId, {
      ...(before?.worker === undefined ? {} : { worker: before.worker }),
      ...workerOf(event),
      state: after,
      since: before?.since ?? event.at,
      used: usedAfter(before?.used ?? NO_USAGE, event),
    });
  }
  return next;
}

function workerOf(event: CastEvent): { readonly worker?: string } {
  const isBegun = event.type === "cast_started" || event.type === "cast_resumed";
  return isBegun && event.worker !== undefined ? { worker: event.worker } : {};
}

/** What their parent says: of an item that is over it counts all that it used. */
export function followParent(lanes: Lanes, { event }: CastStep): Lanes {
  if (event.type !== "item_ended" || !lanes.has(event.child)) return lanes;
  const next = new Map(lanes);
  next.delete(event.child);
  return next;
}

export function laneUses(lanes: Lanes, { castId }: CastState, used: Usage): Lanes {
  const lane = lanes.get(castId);
  return lane ? new Map(lanes).set(castId, { ...lane, used }) : lanes;
}

/** What they have used between them that their parent's journal does not know yet. */
export function lanesUsage(lanes: Lanes): Usage {
  return [...lanes.values()].map(({ state, used }) => addUsage(state.usage, used)).reduce(addUsage, NO_USAGE);
}

/** One row for each, in the order of the list: item, socket, how long, tokens, title, and its worker where there is room. */
export function laneLines(lanes: Lanes, now: number, width: number): readonly Line[] {
  const rows = [...lanes.values()]
    .flatMap((lane) => (lane.state.item ? [{ ...lane, window: lane.state.item.window }] : []))
    .toSorted((a, b) => a.window.index - b.window.index);
  return rows.map(({ state, since, used, worker, window }) => {
    const at = placeOf(state.phase);
    const place = at === null ? "" : nameText(socketOf(state.graph, at).materia);
    const attempt = window.attempt === 1 ? "" : `, attempt ${window.attempt}`;
    const clock = clockText(Math.max(0, now - millisOf(since, now)));
    const tokens = amountText(tokensOf(addUsage(state.usage, used)));
    const before = line(
      toned("accent", `▸ ${itemKey(window.index)}${attempt} `),
      toned("strong", padColumns(place, 12)),
      toned("dim", ` ${clock} · ${tokens} tokens  `),
    );
    const title = titleText(titleIn(state), 200);
    const by = worker === undefined ? "" : `  on ${harmless(worker)}`;
    return fitLine(line(...before, toned("plain", title), toned("dim", by)), width);
  });
}

function titleIn({ pass, item }: CastState): string {
  return pass?.items[item?.window.index ?? -1]?.title ?? "";
}
