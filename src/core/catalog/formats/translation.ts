import type { Issue } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/values/json.ts";
import type { FormatEdit } from "./edit.ts";

/** What makes a part of a file one of today, and what of it is not done. */
export interface FormatTranslation {
  readonly edits: readonly FormatEdit[];
  readonly issues: readonly Issue[];
}

export const NO_EDITS: FormatTranslation = { edits: [], issues: [] };

export function joinTranslations(parts: readonly FormatTranslation[]): FormatTranslation {
  return { edits: parts.flatMap(({ edits }) => edits), issues: parts.flatMap(({ issues }) => issues) };
}

/** What is no object has no fields; that it should be one is said where the file of today is read. */
export function objectFields(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** [M3] Keys that decide nothing here. */
export function removeKeys(path: readonly string[], holder: JsonObject, keys: readonly string[]): FormatTranslation {
  return { edits: keys.filter((key) => key in holder).map((key) => ({ path: [...path, key] })), issues: [] };
}
