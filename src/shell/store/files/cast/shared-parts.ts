import { isJsonObject } from "../../../../core/model/values/json.ts";
import { parentOf } from "../../../../core/model/ids.ts";
import { MOST_BYTES, readRegularText } from "../../../system/regular-file.ts";
import type { CastFile } from "../../cast-file.ts";
import type { CastLayout } from "../../layout.ts";
import { LARGE, digestOf, putValue } from "./values.ts";

type Values = Pick<CastLayout, "values" | "value">;

/**
 * [V6] `cast.json` of an item, with what it has in common with other items as a name among the values of its parent: the
 * graph, and what is large in state. Every item has the whole list; written with each of them it would grow by the square.
 */
export function withoutShared(file: CastFile, layout: Values, isSynced: boolean): object {
  if (parentOf(file.castId) === undefined) return file;
  const { graph, state, window, ...own } = file;
  const put = (value: unknown): string => putValue(layout, textOf(value), isSynced);
  const large = Object.entries(state).filter(([, value]) => isLarge(value));
  const small = Object.entries(state).filter(([, value]) => !isLarge(value));
  const list = window?.handed?.workItems;
  const isShared = isLarge(list);
  return {
    ...own,
    state: Object.fromEntries(small),
    ...(window === undefined ? {} : { window: isShared ? withList(window, null) : window }),
    shared: {
      graph: put(graph),
      state: Object.fromEntries(large.map(([key, value]) => [key, put(value)])),
      ...(isShared ? { workItems: put(list) } : {}),
    },
  };
}

/** The whole of it again; nothing where a part is gone, or is another than it was. What shares nothing is whole. */
export function withShared(json: unknown, layout: Values): unknown {
  if (!isJsonObject(json) || !isJsonObject(json["shared"])) return json;
  const { shared, state, window, ...own } = json;
  if (!isJsonObject(shared) || !isJsonObject(state) || !isJsonObject(shared["state"])) return undefined;
  const get = (digest: unknown): unknown => JSON.parse(readValue(layout, digest));
  const large = Object.entries(shared["state"]).map(([key, digest]) => [key, get(digest)] as const);
  const list = shared["workItems"];
  const whole = list === undefined || !isJsonObject(window) ? window : withList(window, get(list));
  return {
    ...own,
    graph: get(shared["graph"]),
    state: { ...state, ...Object.fromEntries(large) },
    ...(whole === undefined ? {} : { window: whole }),
  };
}

function withList<T extends object>(window: T, workItems: unknown): T {
  return "handed" in window && typeof window.handed === "object"
    ? { ...window, handed: { ...window.handed, workItems } }
    : window;
}

function readValue(layout: Values, digest: unknown): string {
  if (typeof digest !== "string" || !/^[0-9a-f]{32}$/.test(digest)) throw new Error("it names no part of its parent");
  const text = readRegularText(layout.value(digest), MOST_BYTES.castFile);
  if (digestOf(text) !== digest) throw new Error("a part that it shares with other items was changed");
  return text;
}

/** Items of one cast have the very same values in hand. */
const texts = new WeakMap<object, string>();

function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

function isLarge(value: unknown): boolean {
  return value !== undefined && textOf(value).length >= LARGE;
}
