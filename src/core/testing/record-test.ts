import { appendAll } from "../model/lists.ts";
import { foldVisits, type VisitRecord } from "../history/visits.ts";
import { type Graph, socketsOf } from "../compile/graph.ts";
import { itemKeyOfCast, type SocketId } from "../model/ids.ts";
import { type Json, type JsonObject, isJsonObject, parseJson } from "../model/json.ts";
import { mergeItemEvents, type ItemEvents } from "../cast/simulate.ts";
import {
  handedOverText,
  messageText,
  ownTranscriptLines,
  parseTranscriptLine,
  type TranscriptMessage,
  type TranscriptPart,
} from "../cast/transcript.ts";
import { HAND_OVER } from "../model/handoff.ts";
import { fullExpectation, type ObservedCast } from "./expectations.ts";

export interface TestRecording {
  readonly observed: Pick<ObservedCast, "state" | "events" | "exitCode">;
  readonly cast: JsonObject;
  readonly config?: string;
  readonly tools: boolean;
  readonly items: ItemEvents;
  readonly repliesOf: (castId: string, socket: string, visit: number) => readonly RecordedReply[];
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

/** One turn of an agent, as a rehearsal file describes it. */
export interface RecordedReply {
  readonly text: string;
  /** [H25] The text is the argument of `hand_over`, which is not among the tools. */
  readonly byTool?: true;
  readonly tools: readonly { readonly name: string; readonly arguments: unknown; readonly failed: boolean }[];
}

/** The turns of a visit, from its transcript. A failed request that was retried is no turn. */
export function repliesInTranscript(transcript: string): readonly RecordedReply[] {
  const replies: RecordedReply[] = [];
  const failed = new Map<string, boolean>();
  let calls: { readonly id: string; readonly name: string; readonly arguments: unknown }[] = [];
  let last: TranscriptMessage | undefined;
  const finish = (reply: Omit<RecordedReply, "tools">): void => {
    const own = calls.filter(({ id, name }) => !reply.byTool || name !== HAND_OVER || failed.get(id) === true);
    replies.push({ ...reply, tools: own.map(({ id, ...call }) => ({ ...call, failed: failed.get(id) === true })) });
    calls = [];
  };
  for (const line of ownTranscriptLines(transcript.split("\n"))) {
    const message = parseTranscriptLine(line);
    if (message?.role === "toolResult") {
      failed.set(message.toolCallId ?? "", message.isError === true);
      const handed = handedOverText(message, last);
      if (handed !== undefined) finish({ text: handed, byTool: true });
    }
    if (message?.role !== "assistant" || typeof message.content === "string") continue;
    last = message;
    const called = message.content.flatMap(({ type, id = "", name = "", arguments: given = {} }: TranscriptPart) =>
      type === "toolCall" ? [{ id, name, arguments: given }] : [],
    );
    appendAll(calls, called);
    if (called.length > 0 || message["stopReason"] !== "stop") continue;
    finish({ text: messageText(message) });
  }
  return replies;
}

/** [T19] A reply that is JSON stays JSON, so that people can read and edit it. */
function toRehearsalReply({ text, byTool, tools }: RecordedReply, withTools: boolean): JsonObject {
  const value = parseJson(text);
  const said = isJsonObject(value) ? value : undefined;
  const kept = (withTools ? tools : []).map(({ name, arguments: given, failed }) => ({
    name,
    arguments: isJsonObject(given) ? given : {},
    ...(failed ? { fails: true } : {}),
  }));
  if (byTool) return { tools: [...kept, { name: HAND_OVER, arguments: said ?? {} }] };
  return { ...(kept.length > 0 ? { tools: kept } : {}), ...(said ? { json: said } : { text }) };
}
