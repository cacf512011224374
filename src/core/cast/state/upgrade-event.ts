import { type Graph, loopOf } from "../../compile/graph.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** [J23] What an earlier format wrote of an event, as today's has it. What is no event of an earlier format stays as it is. */
export function upgradeEvent(written: unknown, graphOf: () => Graph | null): unknown {
  if (!isJsonObject(written)) return written;
  if (written["type"] === "edge_taken" && written["index"] === undefined)
    return { ...written, index: wayIndex(graphOf(), written, written["from"]) };
  if (written["type"] === "cast_warned" && typeof written["message"] === "string")
    return upgradeWarning(written, written["message"]);
  const { where } = written;
  if (written["type"] !== "limit_reached" || !isJsonObject(where)) return written;
  if (typeof where["edge"] !== "string" && typeof where["item"] !== "string") return written;
  return { ...written, where: upgradeWhere(where, graphOf) };
}

/** Earlier a warning was one of two sentences. */
function upgradeWarning({ message: _said, ...rest }: JsonObject, message: string): JsonObject {
  const [, tokens, maxTokens] = /^(\d+) of (\d+) tokens are used$/.exec(message) ?? [];
  const [, cost, maxCost] = /^\$([\d.]+) of \$([\d.e+-]+) are used$/.exec(message) ?? [];
  if (tokens !== undefined) return { ...rest, limit: "maxTokens", used: Number(tokens), of: Number(maxTokens) };
  return { ...rest, ...(cost === undefined ? {} : { limit: "maxCostUsd", used: Number(cost), of: Number(maxCost) }) };
}

/** The first format named the refused way as `A → B`, and the item by its title. */
function upgradeWhere(where: JsonObject, graphOf: () => Graph | null): JsonObject {
  const { edge, item, ...rest } = where;
  const to = typeof edge === "string" ? edge.split(" → ")[1] : undefined;
  // Only a way that is counted has a condition there; of another nobody knew which it was.
  const edgeFacts =
    to === undefined || where["when"] === undefined
      ? {}
      : { via: "edge", index: wayIndex(graphOf(), { ...rest, via: "edge", to }, where["socket"]) };
  return {
    ...rest,
    ...(to === undefined ? {} : { to }),
    ...edgeFacts,
    ...(typeof item === "string" ? { item: { title: item } } : {}),
  };
}

function wayIndex(graph: Graph | null, { via, when, to, exit }: JsonObject, from: Json | undefined): number | null {
  const socket = typeof from === "string" && graph && Object.hasOwn(graph.sockets, from) ? graph.sockets[from] : null;
  if (!graph || !socket) return null;
  const index =
    via === "edge"
      ? socket.edges.findIndex((each) => each.when === when && each.to === to)
      : (loopOf(graph, socket)?.exits.findIndex((each) => each.id === exit && each.from === socket.id) ?? -1);
  return index === -1 ? null : index;
}
