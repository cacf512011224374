import * as v from "valibot";
import { Destination, SocketId } from "./ids.ts";
import { AssignMap, ConversationScope, ParseMode } from "./materia.ts";
import { wholeNumber } from "./schemas.ts";

export const Condition = v.pipe(
  v.picklist(["always", "satisfied", "not_satisfied"]),
  v.description("always, or what the handoff's `satisfied` must say."),
);
export type Condition = v.InferOutput<typeof Condition>;

/** The next work item, as the target of an edge that is used up. */
export const NEXT_ITEM = "next";

export const Edge = v.object({
  when: Condition,
  to: v.pipe(Destination, v.description("A socket, or end.")),
  maxTraversals: v.optional(
    v.pipe(
      wholeNumber(1),
      v.description(
        "How often this edge may be taken: for one work item where it stays in its loop, else in one cast.",
      ),
    ),
  ),
  then: v.optional(
    v.pipe(
      v.union([v.literal(NEXT_ITEM), Destination], 'is neither a socket id, "end" nor "next"'),
      v.description("Where to go once maxTraversals are used up: a socket, end, or next for the next work item."),
    ),
  ),
});
export type Edge = v.InferOutput<typeof Edge>;

/** All targets of an edge, including its `then`. */
export function edgeTargets({ to, then }: Edge): readonly Destination[] {
  return then === undefined || then === NEXT_ITEM ? [to] : [to, then];
}

export const AdvanceRule = v.object({
  cursor: v.optional(v.pipe(v.string(), v.description("A name for people; the loop owns the cursor itself."))),
  items: v.optional(
    v.pipe(v.string(), v.description("state.workItems, or another list in state where the loop consumes none.")),
  ),
  when: v.optional(Condition, "always"),
});
export type AdvanceRule = v.InferOutput<typeof AdvanceRule>;

export const Socket = v.object({
  materia: v.pipe(v.string(), v.description("The name of the materia seated here.")),
  parse: v.optional(ParseMode),
  conversation: v.optional(ConversationScope),
  assign: v.optional(AssignMap),
  advance: v.optional(v.pipe(AdvanceRule, v.description("Move the loop on to its next item after this visit."))),
  edges: v.optional(
    v.pipe(v.array(Edge), v.description("Ways out, tried in order; the first that matches is taken.")),
    [],
  ),
});
export type Socket = v.InferOutput<typeof Socket>;

export const Exit = v.object({
  id: v.pipe(v.string(), v.minLength(1, "is empty"), v.description("Stable and unique within the loop.")),
  from: v.pipe(SocketId, v.description("The member whose advance exhausts the list.")),
  condition: Condition,
  targetSocketId: v.pipe(Destination, v.description("Where the cast goes on; end says that it ends on purpose.")),
});
export type Exit = v.InferOutput<typeof Exit>;

/** No provider and no disk serves more agents at once. */
const MAX_PARALLEL_ITEMS = 64;

export const Loop = v.object({
  label: v.optional(v.pipe(v.string(), v.description("The name people see."))),
  sockets: v.pipe(v.array(SocketId), v.minLength(1, "names no socket"), v.description("The members.")),
  consumes: v.optional(
    v.object({
      from: v.pipe(SocketId, v.description("The generator socket, outside the loop.")),
      output: v.literal("workItems", 'must be "workItems", the one field generators hand over'),
    }),
  ),
  exits: v.optional(v.pipe(v.array(Exit), v.description("Where the cast goes when the list is exhausted.")), []),
  parallel: v.optional(
    v.pipe(
      wholeNumber(1),
      v.maxValue(MAX_PARALLEL_ITEMS, `must be at most ${MAX_PARALLEL_ITEMS}`),
      v.description("How many items run at once, each in a separate working tree; results are merged in list order."),
    ),
  ),
});
export type Loop = v.InferOutput<typeof Loop>;

export const Layout = v.pipe(
  v.record(v.string(), v.object({ x: v.number(), y: v.number() })),
  v.description("Hand-placed positions in the editor."),
);
export type Layout = v.InferOutput<typeof Layout>;

export const Loadout = v.object({
  description: v.optional(v.pipe(v.string(), v.description("One sentence on what it is for."))),
  entry: v.pipe(SocketId, v.description("Where a cast begins.")),
  sockets: v.pipe(v.record(v.string(), Socket), v.description("Socket id → what is seated there.")),
  loops: v.optional(v.pipe(v.record(v.string(), Loop), v.description("Regions that repeat for each work item.")), {}),
  layout: v.optional(Layout, {}),
});
export type Loadout = v.InferOutput<typeof Loadout>;
