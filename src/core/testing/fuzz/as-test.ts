import type { Graph } from "../../compile/graph.ts";
import type { Json, JsonObject } from "../../model/values/json.ts";
import { lastLimitReached, castOutcome, observedVisits } from "../observed.ts";
import { answerHandoff, answerReplyText } from "./choice.ts";
import type { FuzzedCast, GivenAnswer } from "./one-cast.ts";
import { isSimplestAnswer } from "./smaller.ts";

/** [T18] A cast as a test file; nothing where a program would have to answer in its own way: programs really run. */
export function fuzzedCastToTest({ choices, cast }: FuzzedCast, graph: Graph): JsonObject | undefined {
  if (!cast || choices.some((choice) => choice.by === "utility" && !isSimplestAnswer(choice))) return undefined;
  // No files are made up that could conflict.
  if (choices.some(({ by, satisfied }) => by === "merge" && !satisfied)) return undefined;
  const replies: Record<string, Json[]> = {};
  const answers: Json[] = [];
  for (const choice of choices) {
    const socket = graph.sockets[choice.socket];
    if (!socket || choice.by === "utility" || choice.by === "merge") continue;
    const isPerson = graph.materia[socket.materia]?.type === "person";
    if (choice.by === "wait" && !isPerson) answers.push(true);
    else (replies[choice.socket] ??= []).push(isPerson ? personReply(choice) : agentReply(choice, socket));
  }
  const limit = lastLimitReached(cast.events);
  return {
    cast: { loadout: graph.name, request: "Found by fuzzing", ...(answers.length === 0 ? {} : { answers }) },
    replies,
    expect: {
      outcome: castOutcome(cast.state),
      path: observedVisits(cast.events).map(({ socket }) => socket),
      ...(limit === null ? {} : { limit }),
    },
  };
}

function personReply({ satisfied }: GivenAnswer): Json {
  return { json: satisfied ? { satisfied } : { satisfied, context: "no" } };
}

function agentReply(choice: GivenAnswer, socket: Graph["sockets"][string]): Json {
  if (choice.hostile !== undefined || socket.parse === "text") return { text: answerReplyText(choice, socket) };
  return { json: answerHandoff(choice) };
}
