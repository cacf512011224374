import type { CastStep } from "../../cast/step.ts";
import type { CastEvent } from "../../cast/state/event.ts";
import type { Window } from "../../cast/state/fork.ts";
import type { CastState } from "../../cast/state/state.ts";
import { NO_USAGE, addUsage, tokensOf, type Usage } from "../../cast/state/usage.ts";
import { socketOf } from "../../compile/graph.ts";
import { itemKey } from "../../model/handoff.ts";
import { harmless } from "../../model/values/text.ts";
import { nameText } from "../graph/words.ts";
import { amountText, clockText, millisOf } from "../numbers.ts";
import { titleText } from "../tell/handed.ts";
import { columnsOf, cutColumns, padColumns } from "../text/columns.ts";
import { fitLine, line, lineColumns, toned, type Line } from "../text/line.ts";
import { placeOf } from "./path.ts";
import { usedAfter } from "./used.ts";

/** [V15] The casts of items that are at work now, by their ids. */
type LanesAtWork = ReadonlyMap<string, Lane>;

interface Lane {
  readonly state: CastState;
  readonly since: string;
  /** [B28] Which worker of a fleet has it. */
  readonly worker?: string;
  /** [B12] Set where it was begun and no worker has it any more. */
  readonly isQueued?: true;
  /** What the turn in hand has used so far. */
  readonly used: Usage;
}

export const NO_LANES: LanesAtWork = new Map();

/** One step of the cast of an item further. */
export function followLane(lanes: LanesAtWork, { event, after }: CastStep): LanesAtWork {
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
export function followParent(lanes: LanesAtWork, { event }: CastStep): LanesAtWork {
  if (event.type !== "item_ended" || !lanes.has(event.child)) return lanes;
  const next = new Map(lanes);
  next.delete(event.child);
  return next;
}

export function laneUses(lanes: LanesAtWork, { castId }: CastState, used: Usage): LanesAtWork {
  const lane = lanes.get(castId);
  return lane ? new Map(lanes).set(castId, { ...lane, used }) : lanes;
}

/** [B12] Until its next event: that is written by whoever goes on with it. */
export function laneWaits(lanes: LanesAtWork, { castId }: CastState): LanesAtWork {
  const lane = lanes.get(castId);
  return lane ? new Map(lanes).set(castId, { ...lane, isQueued: true }) : lanes;
}

/** What they have used between them that their parent's journal does not know yet. */
export function lanesUsage(lanes: LanesAtWork): Usage {
  return [...lanes.values()].map(({ state, used }) => addUsage(state.usage, used)).reduce(addUsage, NO_USAGE);
}

/** One row for each, in the order of the list: item, socket, how long, tokens, title, and its worker where there is room. */
export function laneLines(lanes: LanesAtWork, now: number, width: number): readonly Line[] {
  const rows = [...lanes.values()]
    .flatMap((lane) => (lane.state.item ? [{ ...lane, window: lane.state.item.window }] : []))
    .toSorted((a, b) => a.window.index - b.window.index);
  const [wide, narrow] = [rows.map((row) => beforeTitle(row, now)), rows.map((row) => briefly(row, now))];
  const isRoom = wide.every((before) => lineColumns(before) + LEAST_TITLE <= width);
  return rows.map(({ state, worker, isQueued }, at) => {
    const before = (isRoom ? wide : narrow)[at] ?? [];
    const title = titleText(titleIn(state), LONGEST_TITLE);
    const by = isQueued ? "  waits for a worker" : worker === undefined ? "" : `  on ${harmless(worker)}`;
    return fitLine(line(...before, ...titleBy(title, by, width - lineColumns(before))), width);
  });
}

const LONGEST_TITLE = 2_000;

/** [B12] A title is cut for the worker behind it, as long as it can be told apart by what is left. */
function titleBy(title: string, by: string, room: number): Line {
  const left = room - columnsOf(by);
  if (left < Math.min(columnsOf(title), LEAST_TITLE)) return line(title);
  return line(cutColumns(title, left), toned("dim", by));
}

/** Without so many columns of them nobody could tell titles apart: what stands before them is said in fewer words. */
const LEAST_TITLE = 12;
const PLACE = 12;

interface Row extends Lane {
  readonly window: Window;
}

function beforeTitle({ state, since, used, window }: Row, now: number): Line {
  const attempt = window.attempt === 1 ? "" : `, attempt ${window.attempt}`;
  return line(
    toned("accent", `▸ ${itemKey(window.index)}${attempt} `),
    toned("strong", padColumns(placeIn(state), PLACE)),
    toned("dim", ` ${clockSince(since, now)} · ${tokensIn(state, used)} tokens  `),
  );
}

function briefly({ state, since, used, window }: Row, now: number): Line {
  const attempt = window.attempt === 1 ? "" : `.${window.attempt}`;
  return line(
    toned("accent", `▸ ${itemKey(window.index)}${attempt} `),
    toned("strong", cutColumns(placeIn(state), PLACE)),
    toned("dim", ` ${clockSince(since, now)} · ${tokensIn(state, used)}  `),
  );
}

function placeIn({ phase, graph }: CastState): string {
  const at = placeOf(phase);
  return at === null ? "" : nameText(socketOf(graph, at).materia);
}

function clockSince(since: string, now: number): string {
  return clockText(Math.max(0, now - millisOf(since, now)));
}

function tokensIn({ usage }: CastState, used: Usage): string {
  return amountText(tokensOf(addUsage(usage, used)));
}

function titleIn({ pass, item }: CastState): string {
  return pass?.items[item?.window.index ?? -1]?.title ?? "";
}
