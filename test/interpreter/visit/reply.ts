import { valueAt, type Answer, type Json, type JsonObject, type Place, type Region } from "../texts.ts";
import { mustAnswer, sendsBack } from "../ways.ts";

export interface Item {
  readonly title: string;
  readonly context: string;
  /** [V3] Numbers of items before it, from 1, on which it builds. */
  readonly after?: readonly number[];
}

/** What a socket hands on, as far as the rules know it. */
export interface Handoff {
  readonly satisfied?: boolean;
  readonly context?: string;
  readonly workItems?: readonly Item[];
}

/** A reply that counts. */
export interface Said {
  readonly answer: Answer;
  readonly handoff: Handoff;
  readonly found?: "exact" | "fenced" | "embedded";
  /** Top-level fields that an agent's reply has and a handoff does not. */
  readonly dropped: readonly string[];
  /** What `$` reads. */
  readonly whole: Json;
  readonly text: string;
  /** [R1] What serves as a reason where it gives none. */
  readonly excerpt: string;
  /** [H18] What a utility sets in state. */
  readonly patch: JsonObject;
}

const FIELDS = ["workItems", "satisfied", "context"];

/** [H8, H9] What a reply says, or nothing where it is invalid. */
export function read(text: string, place: Place, region: Region | undefined): Said | undefined {
  const plain = text.trim();
  if (place.parse === "text") {
    const said = { answer: undefined, handoff: {}, dropped: [], whole: plain, text: plain, excerpt: plain, patch: {} };
    return place.assign.some(([, source]) => source.startsWith("$.")) ? undefined : said;
  }
  const found = find(text);
  if (!found) return undefined;
  const agent = place.materia.type !== "utility";
  const { satisfied, context, workItems, state } = found.object;
  if (satisfied !== undefined && typeof satisfied !== "boolean") return undefined;
  if (context !== undefined && typeof context !== "string") return undefined;
  if (workItems !== undefined && !isItems(workItems)) return undefined;
  if (!agent && state !== undefined && !isObject(state)) return undefined;
  if (satisfied === undefined && mustAnswer(place, region)) return undefined;
  if (workItems === undefined && place.materia.generator) return undefined;
  // [H21] Who sends work back says why.
  if (agent && satisfied === false && !context?.trim() && sendsBack(place, region)) return undefined;
  if (workItems && place.ordered && !isInOrder(workItems)) return undefined;
  const items = workItems?.map(({ title, context: about, after }) => ({
    title,
    context: about,
    ...(place.ordered && after !== undefined && { after }),
  }));
  const handoff = {
    ...(satisfied !== undefined && { satisfied }),
    ...(context !== undefined && { context }),
    ...(items && { workItems: items }),
  };
  // [H5, H19] Of an agent only the contract's fields can be read; a utility may bring its own.
  const { workItems: _list, satisfied: _answer, ...patch } = !agent && isObject(state) ? state : {};
  const own = agent ? {} : { ...found.object, ...(isObject(state) && { state: patch }) };
  const whole: Json = { ...own, ...handoff };
  const sources = place.assign.flatMap(([, source]) => (source.startsWith("$.") ? [source.slice(2).split(".")] : []));
  // [H22] All but `context` must be there.
  if (sources.some((path) => path.join(".") !== "context" && valueAt(whole, path) === undefined)) return undefined;
  const dropped = agent ? Object.keys(found.object).filter((name) => !FIELDS.includes(name)) : [];
  const lost = JSON.stringify(found.object).length > JSON.stringify(whole).length;
  // [R1] What was dropped does not come back: the words before the object, else the object as it was kept.
  const excerpt = lost ? found.before.trim() || JSON.stringify(whole) : plain;
  return { answer: satisfied, handoff, found: found.how, dropped, whole, text: plain, excerpt, patch };
}

/** [Q1, Q2, Q6] The answer of a gate or a person. */
export function judged(satisfied: boolean, context: string): Said {
  const handoff = { satisfied, context };
  return {
    answer: satisfied,
    handoff,
    found: "exact",
    dropped: [],
    whole: handoff,
    text: context,
    excerpt: context,
    patch: {},
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isItems(value: Json): value is readonly (JsonObject & Item)[] {
  return (
    Array.isArray(value) &&
    value.every(
      (item: Json) => isObject(item) && typeof item["title"] === "string" && typeof item["context"] === "string",
    )
  );
}

/** [V3] Whether every item names none but items before it. */
export function isInOrder(items: readonly JsonObject[]): boolean {
  return items.every(({ after }, index) => {
    if (after === undefined) return true;
    const earlier = Array.from({ length: index }, (_, at) => at + 1);
    return Array.isArray(after) && after.every((number: Json) => earlier.some((each) => each === number));
  });
}

interface Found {
  readonly object: JsonObject;
  readonly how: "exact" | "fenced" | "embedded";
  /** The text before it. */
  readonly before: string;
}

/** [H1] The whole reply; else the last fenced block that is an object; else the last object that stands free. */
function find(reply: string): Found | undefined {
  const text = reply.replace(/^\s*\uFEFF/, "");
  const exact = objectIn(text);
  if (exact) return { object: exact, how: "exact", before: "" };
  const fenced = blocksIn(text).findLast(({ inside }) => objectIn(inside));
  const object = fenced && objectIn(fenced.inside);
  if (object) return { object, how: "fenced", before: fenced.before };
  const embedded = freeObjectsIn(text).at(-1);
  return embedded && { ...embedded, how: "embedded" };
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json; // any JSON value
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Blocks between lines of three or more backticks or tildes; the last need not be closed. */
function blocksIn(text: string): readonly { readonly before: string; readonly inside: string }[] {
  const blocks: { readonly before: string; readonly inside: string }[] = [];
  let open: { readonly mark: string; readonly at: number } | undefined;
  const all = text.split(/\r?\n/);
  const between = (from: number, to: number): string => all.slice(from, to).join("\n");
  for (const [at, line] of all.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const closes = open && mark?.startsWith(open.mark) && line.trim() === mark;
    if (open && closes) blocks.push({ before: between(0, open.at), inside: between(open.at + 1, at) });
    if (open && !closes) continue;
    if (mark !== undefined) open = closes ? undefined : { mark, at };
  }
  return open ? [...blocks, { before: between(0, open.at), inside: between(open.at + 1, all.length) }] : blocks;
}

/** [H2, H3] Objects that stand in no list and in no other object, in their order. */
function freeObjectsIn(text: string): readonly Pick<Found, "object" | "before">[] {
  const found: Pick<Found, "object" | "before">[] = [];
  for (let at = text.search(/[[{]/); at >= 0 && at < text.length;) {
    const end = endOf(text, at);
    if (end === undefined) break;
    const object = text[at] === "{" ? objectIn(text.slice(at, end)) : undefined;
    if (object) found.push({ object, before: text.slice(0, at) });
    const more = text.slice(end).search(/[[{]/);
    at = more < 0 ? -1 : end + more;
  }
  return found;
}

/** Where the bracket at `start` is closed, strings left alone. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (quoted && char === "\\") at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && "[{".includes(char)) depth += 1;
    else if (!quoted && "]}".includes(char) && (depth -= 1) === 0) return at + 1;
  }
  return undefined;
}
