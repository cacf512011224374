import * as v from "valibot";
import { Destination, SocketId } from "./ids.ts";
import { AssignMap, ConversationScope, ParseMode } from "./materia.ts";
import { described, nonEmptyText, setting, wholeNumber } from "./schemas.ts";

export const Condition = described(
  v.picklist(["always", "satisfied", "not_satisfied"]),
  "always, or what the handoff's `satisfied` must say.",
);
export type Condition = v.InferOutput<typeof Condition>;

/** The next work item, as the target of an edge that is used up. */
export const NEXT_ITEM = "next";

export const Edge = v.object({
  when: Condition,
  to: described(Destination, "A socket, or end."),
  maxTraversals: setting(
    wholeNumber(1),
    "How often this edge may be taken: for one work item where it stays in its loop, else in one cast.",
  ),
  then: setting(
    v.union([v.literal(NEXT_ITEM), Destination], 'is neither a socket id, "end" nor "next"'),
    "Where to go once maxTraversals are used up: a socket, end, or next for the next work item.",
  ),
});
export type Edge = v.InferOutput<typeof Edge>;

export function edgeTargets({ to, then }: Edge): readonly Destination[] {
  return then === undefined || then === NEXT_ITEM ? [to] : [to, then];
}

export const AdvanceRule = v.object({
  cursor: setting(v.string(), "A name for people; the loop owns the cursor itself."),
  items: setting(v.string(), "state.workItems, or another list in state where the loop consumes none."),
  when: v.optional(Condition, "always"),
});
export type AdvanceRule = v.InferOutput<typeof AdvanceRule>;

export const Socket = v.object({
  materia: described(v.string(), "The name of the materia seated here."),
  parse: v.optional(ParseMode),
  conversation: v.optional(ConversationScope),
  assign: v.optional(AssignMap),
  advance: setting(AdvanceRule, "Move the loop on to its next item after this visit."),
  edges: v.optional(described(v.array(Edge), "Ways out, tried in order; the first that matches is taken."), []),
});
export type Socket = v.InferOutput<typeof Socket>;

export const Exit = v.object({
  id: described(nonEmptyText, "Stable and unique within the loop."),
  from: described(SocketId, "The member whose advance exhausts the list."),
  condition: Condition,
  targetSocketId: described(Destination, "Where the cast goes on; end says that it ends on purpose."),
});
export type Exit = v.InferOutput<typeof Exit>;

/** No provider and no disk serves more agents at once. */
const MAX_PARALLEL_ITEMS = 64;

export const Loop = v.object({
  label: setting(v.string(), "The name people see."),
  sockets: described(v.pipe(v.array(SocketId), v.minLength(1, "names no socket")), "The members."),
  consumes: v.optional(
    v.object({
      from: described(SocketId, "The generator socket, outside the loop."),
      output: v.literal("workItems", 'must be "workItems", the one field generators hand over'),
    }),
  ),
  parallel: setting(
    v.pipe(wholeNumber(1), v.maxValue(MAX_PARALLEL_ITEMS, `must be at most ${MAX_PARALLEL_ITEMS}`)),
    "How many items run at once, each in a separate working tree; results are merged in list order.",
  ),
  exits: v.optional(described(v.array(Exit), "Where the cast goes when the list is exhausted."), []),
});
export type Loop = v.InferOutput<typeof Loop>;

export const Layout = described(
  v.record(v.string(), v.object({ x: v.number(), y: v.number() })),
  "Hand-placed positions in the editor.",
);
export type Layout = v.InferOutput<typeof Layout>;

export const Loadout = v.object({
  description: setting(v.string(), "One sentence on what it is for."),
  entry: described(SocketId, "Where a cast begins."),
  sockets: described(v.record(v.string(), Socket), "Socket id → what is seated there."),
  loops: v.optional(described(v.record(v.string(), Loop), "Regions that repeat for each work item."), {}),
  layout: v.optional(Layout, {}),
});
export type Loadout = v.InferOutput<typeof Loadout>;
