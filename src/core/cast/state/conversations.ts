import { loopOf, socketOf } from "../../compile/graph.ts";
import type { CastId, SocketId } from "../../model/ids.ts";
import type { ItemCastInput } from "./parallel-run.ts";
import { EMPTY_MAP, countOf, withValue } from "./persistent-map.ts";
import { getItemValue, withItemValue, withoutValueAt, type ByItemPlace } from "./item-counts.ts";
import type { CastState, Visit } from "./state.ts";

export interface SocketConversation {
  /** The visit of the socket that had it, and its cast if that is another one. */
  readonly visit: number;
  readonly castId?: CastId;
  readonly commit: string | null;
  /** The number of that visit among all visits of the cast. */
  readonly begun: number;
}

export type SocketConversations = ByItemPlace<SocketConversation>;

/** The number of the last visit whose work was sent back, by the loop that sent it; "" outside loops. */
export type SentBack = Readonly<Record<string, number>>;

/** [I1, I2] The conversation that the next visit continues: the last one for this item, if the work was sent back since. */
export function conversationToContinue(
  state: CastState,
  { at, reworked }: { readonly at: SocketId; readonly reworked: boolean },
): SocketConversation | undefined {
  const last = getItemValue(state, state.conversations, at);
  if (!last) return undefined;
  return reworked || (state.sentBack[loopIdOf(state, at)] ?? -1) >= last.begun ? last : undefined;
}

export function withConversation(state: CastState, { socket }: Visit, commit: string | null): SocketConversations {
  const { conversations, visits, lastVisits } = state;
  if (socketOf(state.graph, socket).conversation !== "item") return conversations;
  const last: SocketConversation = { visit: countOf(visits, socket), commit, begun: countOf(lastVisits, socket) };
  return withItemValue(state, conversations, socket, last);
}

export function withSentBack(state: CastState, from: SocketId): SentBack {
  return { ...state.sentBack, [loopIdOf(state, from)]: state.begun };
}

/** [I2] The item is done: nothing continues its conversations. */
export function withoutItemConversations({ graph, conversations }: CastState, loop: string, index: number) {
  let left = conversations;
  if (left !== EMPTY_MAP)
    for (const socket of graph.loops[loop]?.sockets ?? []) left = withoutValueAt(left, socket, String(index));
  return left;
}

/** [I3] The conversations of the attempt before, for an item that is repeated. */
export function initialConversations(
  { graph }: Pick<CastState, "graph">,
  { index, previous }: ItemCastInput,
): SocketConversations {
  let conversations: SocketConversations = EMPTY_MAP;
  if (!previous) return conversations;
  const { castId, visits } = previous;
  for (const [socket, visit] of Object.entries(visits))
    if (visit > 0 && graph.sockets[socket]?.conversation === "item")
      conversations = withValue(conversations, socket, { [String(index)]: { castId, visit, commit: null, begun: 0 } });
  return conversations;
}

function loopIdOf({ graph }: Pick<CastState, "graph">, socket: SocketId): string {
  return loopOf(graph, socketOf(graph, socket))?.id ?? "";
}
