import { foldVisits, type VisitRecord } from "../history/visits.ts";
import { type Graph, socketsOf } from "../compile/graph.ts";
import { itemKeyOfCast, type SocketId } from "../model/ids.ts";
import { type Json, type JsonObject, isJsonObject, parseJson } from "../model/json.ts";
import { mergeItemEvents, type ItemEvents } from "../cast/simulate.ts";
import { type ReplyWithTools } from "../cast/transcript.ts";
import { HAND_OVER } from "../model/handoff.ts";
import { fullExpectation, type ObservedCast } from "./expectations.ts";

export interface TestRecording {
  readonly observed: Pick<ObservedCast, "state" | "events" | "exitCode">;
  readonly cast: JsonObject;
  readonly config?: string;
  readonly tools: boolean;
  readonly items: ItemEvents;
  readonly repliesOf: (castId: string, socket: string, visit: number) => readonly ReplyWithTools[];
}

/** [T19] A past cast as a test: its replies in order, and its result as the expectation. */
export function recordTest({ observed, cast, config, tools, items, repliesOf }: TestRecording): JsonObject {
  const { graph, castId } = observed.state;
  const replies: Record<string, Json[]> = {};
  const answers: Json[] = [];
  const keepVisit = (of: string, { socket, visit }: VisitRecord): void => {
    const own = repliesOf(of, socket, visit).map((reply) => toRehearsalReply(reply, tools));
    // Items run at the same time: a test must not give the reply of one item to another.
    const item = of === castId ? "" : `@${itemKeyOfCast(of) ?? ""}`;
    if (own.length > 0) (replies[`${replyKey(graph, socket)}${item}`] ??= []).push(...own);
  };
  for (const [child, events] of items) for (const visit of foldVisits(events)) keepVisit(child, visit);
  for (const visit of foldVisits(observed.events)) keepVisit(castId, visit);
  for (const event of observed.events) {
    if (event.type === "person_judged") {
      const { satisfied, text } = event;
      const json = { satisfied, ...(text === "" ? {} : { context: text }) };
      (replies[replyKey(graph, event.socket)] ??= []).push({ json });
    }
    if (event.type === "limits_raised" && event.allow !== undefined) answers.push({ allow: event.allow });
    if (event.type === "person_finished") answers.push(true);
    if (event.type === "person_answered") answers.push(event.text);
  }
  return {
    cast: { ...cast, ...(answers.length === 0 ? {} : { answers }) },
    ...(config === undefined ? {} : { config }),
    replies,
    expect: fullExpectation({ ...observed, events: mergeItemEvents(observed.events, items) }),
  };
}

/** The materia as the key if only one socket has it, because people think of the materia. */
function replyKey(graph: Graph, socket: SocketId): string {
  const materia = graph.sockets[socket]?.materia ?? "";
  return socketsOf(graph).filter((each) => each.materia === materia).length === 1 ? materia : socket;
}

/** [T19] A reply that is JSON stays JSON, so that people can read and edit it. */
function toRehearsalReply({ text, byTool, tools }: ReplyWithTools, withTools: boolean): JsonObject {
  const value = parseJson(text);
  const handoff = isJsonObject(value) ? value : undefined;
  const kept = (withTools ? tools : []).map(({ name, arguments: given, failed }) => ({
    name,
    arguments: isJsonObject(given) ? given : {},
    ...(failed ? { fails: true } : {}),
  }));
  if (byTool) return { tools: [...kept, { name: HAND_OVER, arguments: handoff ?? {} }] };
  return { ...(kept.length > 0 ? { tools: kept } : {}), ...(handoff ? { json: handoff } : { text }) };
}
