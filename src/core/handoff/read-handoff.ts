import { type Graph, type GraphSocket, materiaOf } from "../compile/graph.ts";
import { feedsParallelLoop, refusalNeedsReason, requiredHandoffFields } from "../compile/socket-outputs.ts";
import { HANDOFF_FIELDS, itemOrderProblems, type HandoffField } from "../model/handoff.ts";
import { withoutUndefined, depthExceeds, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { oneLine } from "../model/text.ts";
import {
  findAssignProblems,
  readAssignedValues,
  applyStatePatch,
  type AssignSources,
  listProblems,
  valueExcerpt,
} from "./assign.ts";
import { findObject, type FoundObject } from "./find-object.ts";

const MAX_DEPTH = 100;

/** A reply read as a handoff, or its problems as sentences for a repair turn. */
export type HandoffReading =
  | {
      readonly ok: true;
      readonly handoff: JsonObject;
      readonly found: FoundObject["found"] | "tool";
      readonly words: string;
      readonly dropped: readonly string[];
      readonly hints: readonly string[];
    }
  | UnusableReply;

/** The problems, and whether a better reply could solve them: missing state is not the agent's fault. */
export interface UnusableReply {
  readonly ok: false;
  readonly problems: readonly string[];
  readonly blame: "reply" | "state";
}

/** [H8, H9] Never throws, for any reply. */
export function readHandoff(graph: Graph, socket: GraphSocket, reply: string, around: AssignSources): HandoffReading {
  const found = findObject(reply);
  if (!found) return { ok: false, problems: [missingObject(reply)], blame: "reply" };
  const isAgent = materiaOf(graph, socket).type === "agent";
  const { handoff, dropped } = (isAgent ? keepHandoffFields : keepUtilityFields)(
    found.object,
    feedsParallelLoop(graph, socket),
  );
  const problems = [...typeProblems(handoff, isAgent), ...missingProblems(graph, socket, handoff)];
  if (problems.length > 0) return { ok: false, problems, blame: "reply" };
  const unusable = findUnassignable(socket, handoff, around);
  if (unusable) return unusable;
  return { ok: true, handoff, found: found.found, words: found.words, dropped, hints: dropped.flatMap(hintsFor) };
}

function missingObject(reply: string): string {
  if (reply.trim() === "") return "the reply is empty; it must be one JSON object";
  return `the reply holds no JSON object; it begins with "${oneLine(reply, 80)}"`;
}

/** [H4, H5] Keeps the contract's fields only: an unknown field never routes, is never stored and reaches no prompt. */
function keepHandoffFields(object: JsonObject, ordered: boolean): { handoff: JsonObject; dropped: readonly string[] } {
  const dropped = Object.keys(object).filter((key) => !HANDOFF_FIELDS.some((field) => field === key));
  const { items, droppedKeys } = keepItems(object["workItems"], ordered);
  const handoff: Record<string, Json> = {};
  for (const field of HANDOFF_FIELDS) {
    const value = field === "workItems" ? items : object[field];
    if (Object.hasOwn(object, field) && value !== undefined) handoff[field] = value;
  }
  return { handoff, dropped: [...dropped.map((key) => oneLine(key, 80)), ...droppedKeys] };
}

/** [H18, H19] Keeps a program's own fields, except those that control the graph. */
function keepUtilityFields(object: JsonObject, ordered: boolean): { handoff: JsonObject; dropped: readonly string[] } {
  const { items, droppedKeys } = keepItems(object["workItems"], ordered);
  const state = object["state"];
  const control = isJsonObject(state)
    ? ["workItems", "satisfied", "__proto__"].filter((key) => Object.hasOwn(state, key))
    : [];
  const kept = Object.entries(object).filter(([key]) => key !== "__proto__");
  const handoff = Object.fromEntries(
    kept.map(([key, value]): [string, Json] => {
      if (key === "workItems" && items !== undefined) return [key, items];
      if (key === "state" && isJsonObject(value))
        return [key, Object.fromEntries(Object.entries(value).filter(([name]) => !control.includes(name)))];
      return [key, value];
    }),
  );
  const own = Object.hasOwn(object, "__proto__") ? ["__proto__"] : [];
  return { handoff: asJournaled(handoff), dropped: [...own, ...control.map((key) => `state.${key}`), ...droppedKeys] };
}

/** The value as the journal stores it. JSON writes Infinity as null, and the live cast must not differ. */
function asJournaled(value: JsonObject): JsonObject {
  if (depthExceeds(value, MAX_DEPTH)) return value;
  const written: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(written) ? written : {};
}

/** [V3] Keeps `after` only in lists of parallel loops. */
function keepItems(value: Json | undefined, ordered: boolean) {
  if (!Array.isArray(value)) return { items: value, droppedKeys: [] };
  const droppedKeys = new Set<string>();
  const items = value.map((item: Json): Json => {
    if (!isJsonObject(item)) return item;
    const { title, context, after, ...others } = item;
    const rest = ordered || after === undefined ? others : { ...others, after };
    for (const key of Object.keys(rest)) if (droppedKeys.size < 20) droppedKeys.add(`workItems[].${oneLine(key, 80)}`);
    return {
      ...withoutUndefined({ title, context }),
      ...(ordered && after !== undefined ? { after } : {}),
    };
  });
  return { items, droppedKeys: [...droppedKeys] };
}

function typeProblems(handoff: JsonObject, isAgent: boolean): string[] {
  const { workItems, satisfied, context, state } = handoff;
  const problems: string[] = [];
  if (satisfied !== undefined && typeof satisfied !== "boolean")
    problems.push(`"satisfied" must be true or false, not ${valueExcerpt(satisfied)}`);
  if (context !== undefined && typeof context !== "string")
    problems.push(`"context" must be a string, not ${valueExcerpt(context)}`);
  if (workItems !== undefined) problems.push(...listProblems(workItems));
  if (Array.isArray(workItems)) problems.push(...itemOrderProblems(workItems).slice(0, 5));
  if (!isAgent && state !== undefined && !isJsonObject(state))
    problems.push(`"state" must be an object, not ${valueExcerpt(state)}`);
  if (!isAgent && depthExceeds(handoff, MAX_DEPTH))
    problems.push(`the result is nested more than ${MAX_DEPTH} levels deep`);
  return problems;
}

function missingProblems(graph: Graph, socket: GraphSocket, handoff: JsonObject): readonly string[] {
  const missing = [...requiredHandoffFields(graph, socket)]
    .filter(([field]) => handoff[field] === undefined)
    .map(([field, why]) => `"${field}" is missing (${why})`);
  const { satisfied, context = "" } = handoff;
  if (satisfied !== false || typeof context !== "string" || context.trim() !== "") return missing;
  return refusalNeedsReason(graph, socket) ? [...missing, REASON_MISSING] : missing;
}

const REASON_MISSING = '"satisfied" is false without a reason: say in "context" what must change and why';

/** [H16] A source without a value is a problem of the reply, found before anything is stored. */
function findUnassignable(socket: GraphSocket, handoff: JsonObject, around: AssignSources): UnusableReply | undefined {
  const patched = { ...around, data: applyStatePatch(around.data, handoff) };
  const lists = readAssignedValues(socket.assign, handoff, patched).flatMap(({ assignment, value }) =>
    value !== undefined && assignment.from === "output" && assignment.target.join(".") === "workItems"
      ? listProblems(value)
      : [],
  );
  const faults = findAssignProblems(socket.assign, handoff, patched);
  const problems = [...faults.inReply, ...lists];
  if (problems.length > 0) return { ok: false, problems, blame: "reply" };
  return faults.inState.length > 0 ? { ok: false, problems: faults.inState, blame: "state" } : undefined;
}

const OLD_NAMES: Readonly<Record<HandoffField, readonly string[]>> = {
  satisfied: ["passed"],
  workItems: ["tasks", "task", "work"],
  context: ["feedback", "reason", "missing", "summary", "guidance", "failure", "rework", "decisions", "risks"],
};

/** [H6] Hints for old field names. */
function hintsFor(dropped: string): readonly string[] {
  const now = HANDOFF_FIELDS.find((field) => OLD_NAMES[field].includes(dropped));
  return now === undefined ? [] : [`"${dropped}" is no longer read; use "${now}"`];
}
