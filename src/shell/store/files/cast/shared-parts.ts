import { isJsonObject } from "../../../../core/model/values/json.ts";
import { parentCastId } from "../../../../core/model/ids.ts";
import { MAX_FILE_BYTES, readRegularText } from "../../../system/regular-file.ts";
import type { CastFile } from "../../cast-file.ts";
import type { CastLayout } from "../../layout.ts";
import { LARGE_VALUE_CHARS, valueDigest, writeValue } from "./values.ts";

type ValueLayout = Pick<CastLayout, "values" | "value">;

/**
 * [V6] `cast.json` of an item, with what it has in common with other items as a name among the values of its parent: the
 * graph, and what is large in state. Every item has the whole list; written with each of them it would grow by the square.
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

/** The whole of it again; nothing where a part is gone, or is another than it was. What shares nothing is whole. */
export function restoreSharedParts(json: unknown, layout: ValueLayout): unknown {
  if (!isJsonObject(json) || !isJsonObject(json["shared"])) return json;
  const { shared, state, window, ...own } = json;
  if (!isJsonObject(shared) || !isJsonObject(state) || !isJsonObject(shared["state"])) return undefined;
  const get = (digest: unknown): unknown => JSON.parse(readSharedValue(layout, digest));
  const large = Object.entries(shared["state"]).map(([key, digest]) => [key, get(digest)] as const);
  const list = shared["workItems"];
  const whole = list === undefined || !isJsonObject(window) ? window : withWorkItems(window, get(list));
  return {
    ...own,
    graph: get(shared["graph"]),
    state: { ...state, ...Object.fromEntries(large) },
    ...(whole === undefined ? {} : { window: whole }),
  };
}

function withWorkItems<T extends object>(window: T, workItems: unknown): T {
  return "handed" in window && typeof window.handed === "object"
    ? { ...window, handed: { ...window.handed, workItems } }
    : window;
}

function readSharedValue(layout: ValueLayout, digest: unknown): string {
  if (typeof digest !== "string" || !/^[0-9a-f]{32}$/.test(digest)) throw new Error("it names no part of its parent");
  const text = readRegularText(layout.value(digest), MAX_FILE_BYTES.castFile);
  if (valueDigest(text) !== digest) throw new Error("a part that it shares with other items was changed");
  return text;
}

/** Items of one cast have the very same values in hand. */
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
