import type { SocketId } from "../../model/ids.ts";
import type { Materia } from "../../model/materia.ts";
import { truncate, truncateStart } from "../../model/text.ts";
import type { ReworkReason, ItemCastInput } from "./parallel-run.ts";
import type { CastState } from "./state.ts";
import { EMPTY_MAP, withValue, withoutKeys } from "./persistent-map.ts";
import { getItemValue, withItemValue, type ByItemPlace } from "./item-counts.ts";

const REASON_LIMIT = 900;
const EARLIER_REASONS_LIMIT = 2_400;
const MAX_REASONS = 3;

/** [R1] Why a visit is repeated, as handed over. For a command the end of its output matters. */
export function reworkReasonText(handed: string, materia: Materia): string {
  return materia.type === "utility" && materia.gate === true
    ? truncateStart(handed.trim(), REASON_LIMIT)
    : truncate(handed.trim(), REASON_LIMIT);
}

export function outputExcerpt(output: string): string {
  return truncate(output.trim(), REASON_LIMIT);
}

/** Newest first. */
export type ReworkReasons = ByItemPlace<readonly ReworkReason[]>;

/** [V36] The reasons at the start of an item that is repeated. */
export function initialReworkReasons({ door, index, reasons }: ItemCastInput): ReworkReasons {
  return reasons.length === 0 ? EMPTY_MAP : withValue(EMPTY_MAP, door, { [String(index)]: reasons });
}

type ReworkState = Pick<CastState, "graph" | "pass" | "rework">;

export function reworkReasonsFor(state: ReworkState, socket: SocketId): readonly ReworkReason[] {
  return getItemValue(state, state.rework, socket) ?? [];
}

/** [R3] The newest reason first, with up to two earlier ones. */
export function withReworkReason(state: ReworkState, socket: SocketId, reason: ReworkReason): ReworkReasons {
  const kept = [reason, ...reworkReasonsFor(state, socket)].slice(0, MAX_REASONS);
  return withItemValue(state, state.rework, socket, kept);
}

/** [G26] The list is new: only the reason that led here stays. Every other route has removed those of the socket. */
export function withoutListReasons(state: CastState, loop: string, entered: SocketId): ReworkReasons {
  const [newest] = reworkReasonsFor(state, entered);
  const left = withoutKeys(state.rework, state.graph.loops[loop]?.sockets ?? []);
  return newest ? withReworkReason({ ...state, rework: left }, entered, newest) : left;
}

/** [R3] The displayed reasons: the newest whole, the earlier ones as far as there is room. */
export function displayedReasons(reasons: readonly ReworkReason[]): readonly ReworkReason[] {
  let room = EARLIER_REASONS_LIMIT;
  return reasons.flatMap((reason, index) => {
    if (index === 0) return [reason];
    if (room < 100) return [];
    const text = truncate(reason.text, room - 60);
    room -= text.length;
    return [{ ...reason, text }];
  });
}
