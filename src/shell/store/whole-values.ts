import { isJsonObject } from "../../core/model/values/json.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "./cast-store.ts";

/** [N14] A JSON text with the large values of the cast that it refers to in their places, as far as there is room for them. */
export async function inlineValues(store: CastStore, castId: CastId, text: string, most: number): Promise<string> {
  const left = { bytes: most };
  const whole = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) {
      const parts: unknown[] = [];
      for (const part of value) parts.push(await whole(part));
      return parts;
    }
    if (!isJsonObject(value)) return value;
    const { $value: digest, ...others } = value;
    if (typeof digest === "string" && Object.keys(others).length === 0) {
      const kept = await store.readValue(castId, digest);
      if (kept === undefined || kept.length > left.bytes) return value;
      left.bytes -= kept.length;
      return whole(JSON.parse(kept));
    }
    const entries: [string, unknown][] = [];
    for (const [key, part] of Object.entries(value)) entries.push([key, await whole(part)]);
    return Object.fromEntries(entries);
  };
  try {
    return JSON.stringify(await whole(JSON.parse(text)));
  } catch {
    // What is damaged is shown as it is.
    return text;
  }
}
