import { loopOf, socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import type { Materia } from "../../model/materia.ts";
import { cut, cutStart } from "../../model/values/text.ts";
import type { Reason, Window } from "./fork.ts";
import type { CastState } from "./state.ts";
import { EMPTY_TABLE, valueIn, withValue, withoutKeys, type Table } from "./table.ts";

const REASON_LIMIT = 900;
const ALL_LIMIT = 2_400;
const KEPT = 3;

/** [R1] Why a visit is done again, in the words that were handed on; a command says what matters at its end. */
export function reasonOf(handed: string, materia: Materia): string {
  return materia.type === "utility" && materia.gate === true
    ? cutStart(handed.trim(), REASON_LIMIT)
    : cut(handed.trim(), REASON_LIMIT);
}

/** The beginning of an output that gave no reason of its own. */
export function excerptOf(output: string): string {
  return cut(output.trim(), REASON_LIMIT);
}

/** Reasons by socket and, inside a loop, by the place of the item; newest first. */
export type Reasons = Table<Readonly<Record<string, readonly Reason[]>>>;

export const NO_REASONS: Reasons = EMPTY_TABLE;

/** [V9] What the cast of an item that is done again begins with. */
export function firstReasons({ door, index, reasons }: Window): Reasons {
  return reasons.length === 0 ? NO_REASONS : withValue(NO_REASONS, door, { [String(index)]: [...reasons] });
}

type Reasoned = Pick<CastState, "graph" | "pass" | "rework">;

/** The reasons that wait for a socket and the item that a visit there would be for. */
export function reasonsFor(state: Reasoned, socket: SocketId): readonly Reason[] {
  return valueIn(state.rework, socket)?.[placeFor(state, socket)] ?? [];
}

/** [R3] The newest reason first, with up to two before it. */
export function withReason(state: Reasoned, socket: SocketId, reason: Reason): Reasons {
  const kept = [reason, ...reasonsFor(state, socket)].slice(0, KEPT);
  return withValue(state.rework, socket, { ...valueIn(state.rework, socket), [placeFor(state, socket)]: kept });
}

/** [R4] Nothing is kept any longer for this socket and item. */
export function withoutReasons(state: Reasoned, socket: SocketId): Reasons {
  if (state.rework === NO_REASONS) return NO_REASONS;
  return withoutPlace(state.rework, socket, placeFor(state, socket));
}

/** [R4, G26] The item at this place is done: nobody is told of it any more, in this loop or another that walks the same list. */
export function withoutItem({ graph, rework }: CastState, loop: string, index: number): Reasons {
  if (rework === NO_REASONS) return rework;
  const list = graph.loops[loop]?.items?.join(".");
  let left = rework;
  for (const { items, sockets } of Object.values(graph.loops))
    if (items?.join(".") === list) for (const socket of sockets) left = withoutPlace(left, socket, String(index));
  return left;
}

/** [G26] The list was made anew: only what has just sent the cast here still holds. */
export function withoutList(state: CastState, loop: string, brought: SocketId | null): Reasons {
  const newest = brought === null ? undefined : reasonsFor(state, brought)[0];
  const left = withoutKeys(state.rework, state.graph.loops[loop]?.sockets ?? []);
  return newest && brought !== null ? withReason({ ...state, rework: left }, brought, newest) : left;
}

/** The item in hand inside its loop; the first one where a loop is about to be entered. */
function placeFor({ graph, pass }: Pick<CastState, "graph" | "pass">, id: SocketId): string {
  const loop = loopOf(graph, socketOf(graph, id));
  if (!loop?.items) return "";
  return pass?.loop === loop.id ? String(pass.cursor) : "0";
}

function withoutPlace(reasons: Reasons, socket: string, place: string): Reasons {
  const known = valueIn(reasons, socket);
  if (known?.[place] === undefined) return reasons;
  const { [place]: _gone, ...others } = known;
  return Object.keys(others).length === 0 ? withoutKeys(reasons, [socket]) : withValue(reasons, socket, others);
}

/** What is shown of them: the newest whole, the others as far as there is room. */
export function shownReasons(reasons: readonly Reason[]): readonly Reason[] {
  let room = ALL_LIMIT;
  return reasons.flatMap((reason) => {
    if (room < 100) return [];
    const text = cut(reason.text, room - 60);
    room -= text.length;
    return [{ ...reason, text }];
  });
}
