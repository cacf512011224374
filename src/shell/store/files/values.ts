import { createHash } from "node:crypto";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isJsonObject, type Json, type JsonObject } from "../../../core/model/json.ts";
import type { StoredValue } from "../../ports.ts";
import { errorText, syncFolder, MAX_FILE_BYTES, readRegularFileText } from "../../system/files.ts";
import type { Redactor } from "../../secrets/redact.ts";
import type { CastLayout } from "../layout.ts";
import { parentCastId } from "../../../core/model/ids.ts";
import type { CastFile } from "../cast-file.ts";

/** Shorter values are stored inline: a separate file would be larger. */
const LARGE_VALUE_CHARS = 4_096;

/** Writes JSON under its digest, as a whole: others may read it at the same time. */
function writeValue(layout: Pick<CastLayout, "values" | "value">, text: string, isSynced: boolean): string {
  const digest = valueDigest(text);
  const file = layout.value(digest);
  if (statSync(file, { throwIfNoEntry: false })?.size === Buffer.byteLength(text)) return digest;
  mkdirSync(layout.values, { recursive: true, mode: 0o700 });
  const making = `${file}.${process.pid}`;
  writeFileSync(making, text, { mode: 0o600, flush: isSynced });
  renameSync(making, file);
  if (isSynced) syncFolder(layout.values);
  return digest;
}

function valueDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** [J26, J40] Stores each large value of a cast once by its digest, also large parts of other values. */
export function createValueWriter(
  layout: CastLayout,
  redact: Redactor,
  isSynced: boolean,
): (value: Json) => StoredValue {
  /** The reference of this value: an unchanged list is not written again for each item. */
  const references = new WeakMap<object, Json>();
  const written = new Set<string>();
  const put = (text: string): string => {
    const digest = valueDigest(text);
    if (!written.has(digest)) writeValue(layout, text, isSynced);
    written.add(digest);
    return digest;
  };
  const textOf = (value: Json): string => redact(JSON.stringify(value));
  const keep = (value: Json): Json => {
    if (typeof value !== "object" || value === null) return reference(value);
    const before = references.get(value);
    if (before !== undefined) return before;
    const json = textOf(value).length < LARGE_VALUE_CHARS ? value : reference(keepParts(value));
    references.set(value, json);
    return json;
  };
  const keepParts = (value: readonly Json[] | JsonObject): Json =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, keep(each)]))
      : value.map(keep);
  const reference = (value: Json): Json => {
    const text = textOf(value);
    return text.length < LARGE_VALUE_CHARS ? value : { $value: put(text) };
  };
  return (value) => {
    try {
      return { kind: "kept", json: keep(value) };
    } catch (thrown) {
      return { kind: "failed", problem: `cannot write an artifact: ${errorText(thrown)}` };
    }
  };
}

type ValueLayout = Pick<CastLayout, "values" | "value">;

/**
 * [V30] `cast.json` of an item. Parts that it shares with other items are references to values of its parent: the graph, and
 * large values of the state. Each item has the whole list; without references the size would be quadratic.
 */
export function extractSharedParts(file: CastFile, layout: ValueLayout, isSynced: boolean): object {
  if (parentCastId(file.castId) === undefined) return file;
  const { graph, state, window, ...own } = file;
  const put = (value: unknown): string => writeValue(layout, jsonTextOf(value), isSynced);
  const large = Object.entries(state).filter(([, value]) => isLargeValue(value));
  const small = Object.entries(state).filter(([, value]) => !isLargeValue(value));
  const list = window?.handed?.workItems;
  const isShared = isLargeValue(list);
  return {
    ...own,
    state: Object.fromEntries(small),
    ...(window === undefined ? {} : { window: isShared ? withWorkItems(window, null) : window }),
    shared: {
      graph: put(graph),
      state: Object.fromEntries(large.map(([key, value]) => [key, put(value)])),
      ...(isShared ? { workItems: put(list) } : {}),
    },
  };
}

/** Resolves the references; undefined if a part is missing or changed. */
export function restoreSharedParts(json: unknown, layout: ValueLayout): unknown {
  if (!isJsonObject(json) || !isJsonObject(json["shared"])) return json;
  const { shared, state, window, ...own } = json;
  if (!isJsonObject(shared) || !isJsonObject(state) || !isJsonObject(shared["state"])) return undefined;
  const get = (digest: unknown): unknown => JSON.parse(readSharedValue(layout, digest));
  const large = Object.entries(shared["state"]).map(([key, digest]) => [key, get(digest)] as const);
  const list = shared["workItems"];
  const complete = list === undefined || !isJsonObject(window) ? window : withWorkItems(window, get(list));
  return {
    ...own,
    graph: get(shared["graph"]),
    state: { ...state, ...Object.fromEntries(large) },
    ...(complete === undefined ? {} : { window: complete }),
  };
}

function withWorkItems<T extends object>(window: T, workItems: unknown): T {
  return "handed" in window && typeof window.handed === "object"
    ? { ...window, handed: { ...window.handed, workItems } }
    : window;
}

function readSharedValue(layout: ValueLayout, digest: unknown): string {
  if (typeof digest !== "string" || !/^[0-9a-f]{32}$/.test(digest)) throw new Error("it names no part of its parent");
  const text = readRegularFileText(layout.value(digest), MAX_FILE_BYTES.castFile);
  if (valueDigest(text) !== digest) throw new Error("a part that it shares with other items was changed");
  return text;
}

/** Items of one cast share the same objects in memory. */
const jsonTexts = new WeakMap<object, string>();

function jsonTextOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = jsonTexts.get(value) ?? JSON.stringify(value);
  jsonTexts.set(value, text);
  return text;
}

function isLargeValue(value: unknown): boolean {
  return value !== undefined && jsonTextOf(value).length >= LARGE_VALUE_CHARS;
}
