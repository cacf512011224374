import { type CastStep, pendingUsageAfter } from "../../cast/timeline.ts";
import { withoutUndefined } from "../../model/json.ts";
import type { ItemCastInput } from "../../cast/state/parallel-run.ts";
import type { CastState } from "../../cast/state/state.ts";
import { NO_USAGE, addUsage, totalTokens, type Usage } from "../../cast/state/usage.ts";
import { socketOf } from "../../compile/graph.ts";
import { itemKey } from "../../model/handoff.ts";
import { sanitizeForTerminal, parseMillis } from "../../model/text.ts";
import { nameText } from "../graph/labels.ts";
import { amountText, durationText } from "../numbers.ts";
import { titleText } from "../report/handoff-lines.ts";
import { columnsOf, cutColumns, padColumns, fitLine, line, lineColumns, toned, type Line } from "../line.ts";
import { currentSocket } from "./cast-path.ts";

/** [V15] The running item casts, by cast id. */
type LiveItems = ReadonlyMap<string, LiveItem>;

interface LiveItem {
  readonly state: CastState;
  readonly since: string;
  /** [B28] Its worker in a fleet. */
  readonly worker?: string;
  /** [B54] Set if it has begun but no worker has it. */
  readonly isQueued?: true;
  /** The usage of the current turn. */
  readonly used: Usage;
}

export const NO_LIVE_ITEMS: LiveItems = new Map();

/** Applies one step of an item cast. */
export function advanceLiveItem(lanes: LiveItems, { event, after }: CastStep): LiveItems {
  if (event.type === "cast_ended") return withoutItem(lanes, after.castId);
  const before = lanes.get(after.castId);
  const started = event.type === "cast_started" || event.type === "cast_resumed" ? event.worker : undefined;
  return new Map(lanes).set(after.castId, {
    ...withoutUndefined({ worker: started ?? before?.worker }),
    state: after,
    since: before?.since ?? event.at,
    used: pendingUsageAfter(before?.used ?? NO_USAGE, event),
  });
}

/** Applies one step of the parent, whose journal counts the usage of ended items. */
export function removeEndedItem(lanes: LiveItems, { event }: CastStep): LiveItems {
  return event.type === "item_ended" && lanes.has(event.child) ? withoutItem(lanes, event.child) : lanes;
}

function withoutItem(lanes: LiveItems, castId: string): LiveItems {
  return new Map([...lanes].filter(([id]) => id !== castId));
}

/** [B54] Its usage so far, or that no worker has it; its next event, by another worker, clears that mark. */
export function updateLiveItem(
  lanes: LiveItems,
  { castId }: CastState,
  change: Partial<Pick<LiveItem, "used" | "isQueued">>,
): LiveItems {
  const lane = lanes.get(castId);
  return lane ? new Map(lanes).set(castId, { ...lane, ...change }) : lanes;
}

/** Their total usage that the journal of the parent does not count yet. */
export function liveItemsUsage(lanes: LiveItems): Usage {
  return [...lanes.values()].map(({ state, used }) => addUsage(state.usage, used)).reduce(addUsage, NO_USAGE);
}

/** One row for each item in the order of the list: item, socket, time, tokens, title, and its worker if it fits. */
export function liveItemLines(lanes: LiveItems, now: number, width: number): readonly Line[] {
  const rows = [...lanes.values()]
    .flatMap((lane) => (lane.state.item ? [{ ...lane, window: lane.state.item.window }] : []))
    .toSorted((a, b) => a.window.index - b.window.index);
  const isRoom = rows.every((row) => lineColumns(itemPrefix(row, now, true)) + MIN_TITLE_COLUMNS <= width);
  return rows.map((row) => {
    const { state, worker, isQueued } = row;
    const before = itemPrefix(row, now, isRoom);
    const title = titleText(state.pass?.items[state.item?.window.index ?? -1]?.title ?? "", MAX_TITLE_LENGTH);
    const by = isQueued ? "  waits for a worker" : worker === undefined ? "" : `  on ${sanitizeForTerminal(worker)}`;
    return fitLine(line(...before, ...titleWithWorker(title, by, width - lineColumns(before))), width);
  });
}

const MAX_TITLE_LENGTH = 2_000;

/** [B54] The title gives way to the worker, but keeps enough columns to tell items apart. */
function titleWithWorker(title: string, by: string, room: number): Line {
  const left = room - columnsOf(by);
  if (left < Math.min(columnsOf(title), MIN_TITLE_COLUMNS)) return line(title);
  return line(cutColumns(title, left), toned("dim", by));
}

/** The least columns of a title; below it the words before the title get shorter. */
const MIN_TITLE_COLUMNS = 12;
const SOCKET_COLUMNS = 12;

function itemPrefix(
  { state, since, used, window }: LiveItem & { readonly window: ItemCastInput },
  now: number,
  isWide: boolean,
): Line {
  const attempt = window.attempt === 1 ? "" : `${isWide ? ", attempt " : "."}${window.attempt}`;
  const at = currentSocket(state.phase);
  const name = at === null ? "" : nameText(socketOf(state.graph, at).materia);
  const elapsed = durationText(Math.max(0, now - parseMillis(since, now)));
  const tokens = amountText(totalTokens(addUsage(state.usage, used)));
  return line(
    toned("accent", `▸ ${itemKey(window.index)}${attempt} `),
    toned("strong", isWide ? padColumns(name, SOCKET_COLUMNS) : cutColumns(name, SOCKET_COLUMNS)),
    toned("dim", ` ${elapsed} · ${tokens}${isWide ? " tokens" : ""}  `),
  );
}
