import { loopOf, socketOf } from "../../compile/graph.ts";
import type { CastId, SocketId } from "../../model/ids.ts";
import type { ItemCastInput } from "./parallel-run.ts";
import { EMPTY_MAP, countOf, getValue, withValue, withoutKeys, type PersistentMap } from "./persistent-map.ts";
import { itemPlaceFor, withoutPlace } from "./item-counts.ts";
import type { CastState, Visit } from "./state.ts";

/** The last conversation of a socket for one item. */
export interface SocketConversation {
  /** The visit of the socket that had it, and its cast if that is another one. */
  readonly visit: number;
  readonly castId?: CastId;
  /** The checkpoint at its end; null without one. */
  readonly commit: string | null;
  /** The number of that visit among all visits of the cast. */
  readonly begun: number;
}

/** SocketConversations that a visit may continue, by socket and, inside a loop, by the index of the item. */
export type SocketConversations = PersistentMap<Readonly<Record<string, SocketConversation>>>;

/** The number of the last visit whose work was sent back, by the loop that sent it; "" outside loops. */
export type SentBack = Readonly<Record<string, number>>;

type ConversationState = Pick<CastState, "graph" | "pass" | "conversations">;

/** [I1, I2] The conversation that the next visit continues: the last one for this item, if the work was sent back since. */
export function conversationToContinue(
  state: CastState,
  { at, reworked }: { readonly at: SocketId; readonly reworked: boolean },
): SocketConversation | undefined {
  const last = getValue(state.conversations, at)?.[itemPlaceFor(state, at)];
  if (!last) return undefined;
  return reworked || (state.sentBack[loopIdOf(state, at)] ?? -1) >= last.begun ? last : undefined;
}

export function withConversation(state: CastState, { socket }: Visit, commit: string | null): SocketConversations {
  const { conversations, visits, lastVisits } = state;
  if (socketOf(state.graph, socket).conversation !== "item") return conversations;
  const last: SocketConversation = { visit: countOf(visits, socket), commit, begun: countOf(lastVisits, socket) };
  return withValue(conversations, socket, {
    ...getValue(conversations, socket),
    [itemPlaceFor(state, socket)]: last,
  });
}

export function withSentBack(state: CastState, from: SocketId): SentBack {
  return { ...state.sentBack, [loopIdOf(state, from)]: state.begun };
}

/** [I2] The item is done: nothing continues its conversations. */
export function withoutItemConversations({ graph, conversations }: ConversationState, loop: string, index: number) {
  let left = conversations;
  if (left !== EMPTY_MAP)
    for (const socket of graph.loops[loop]?.sockets ?? []) left = withoutPlace(left, socket, String(index));
  return left;
}

/** [I2] The list of a loop is new. */
export function withoutListConversations(
  { graph, conversations }: ConversationState,
  loop: string,
): SocketConversations {
  return conversations === EMPTY_MAP ? conversations : withoutKeys(conversations, graph.loops[loop]?.sockets ?? []);
}

/** [I3] The conversations of the attempt before, for an item that is repeated. */
export function initialConversations(
  { graph }: Pick<CastState, "graph">,
  { index, previous }: ItemCastInput,
): SocketConversations {
  return Object.entries(previous?.visits ?? {}).reduce<SocketConversations>(
    (all, [socket, visit]) =>
      previous && visit > 0 && graph.sockets[socket]?.conversation === "item"
        ? withValue(all, socket, { [String(index)]: { castId: previous.castId, visit, commit: null, begun: 0 } })
        : all,
    EMPTY_MAP,
  );
}

function loopIdOf({ graph }: Pick<CastState, "graph">, socket: SocketId): string {
  return loopOf(graph, socketOf(graph, socket))?.id ?? "";
}
