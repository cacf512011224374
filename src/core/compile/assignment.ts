import * as v from "valibot";
import { HANDOFF_FIELDS } from "../model/handoff.ts";
import { PROTOTYPE_KEYS } from "../model/json.ts";
import { readonlyObject } from "../model/schemas.ts";

const Path = v.pipe(v.array(v.string()), v.readonly());

export const Assignment = readonlyObject({ target: Path, from: v.picklist(["output", "state", "item"]), path: Path });
export type Assignment = v.InferOutput<typeof Assignment>;

/** The entry, or its problem as a sentence. */
export function parseAssignment(target: string, source: string): Assignment | string {
  const targetPath = parseStatePath(target);
  if (targetPath === undefined || targetPath.length === 0) return `"${target}" is not a path into state`;
  const read = parseSource(source);
  if (read === undefined) return `"${source}" is not a source; use $, $.field, state.path or item.path`;
  return { target: targetPath, ...read };
}

/** An agent hands over three fields; no other source ever has a value. */
export function isHandoffSource(assignment: Assignment): boolean {
  const [field] = assignment.path;
  return assignment.from !== "output" || field === undefined || HANDOFF_FIELDS.some((known) => known === field);
}

/** [H20] Whether the path can exist: a text or a boolean has no fields, and an item has two. */
export function canSourceExist({ from, path: [field, ...rest] }: Assignment): boolean {
  if (from === "item") return isItemField(field) && rest.length === 0;
  if (from !== "output") return true;
  if (field === "context" || field === "satisfied") return rest.length === 0;
  if (field !== "workItems" || rest.length === 0) return true;
  const [index = "", key, ...deeper] = rest;
  return /^[0-9]+$/.test(index) && (key === undefined || (isItemField(key) && deeper.length === 0));
}

function isItemField(key: string | undefined): boolean {
  return key === "title" || key === "context";
}

/** A gate answers and makes no list. */
export function isGateSource({ from, path: [field] }: Assignment): boolean {
  return from !== "output" || field === undefined || field === "satisfied" || field === "context";
}

const SOURCES = [
  ["$.", "output"],
  ["state.", "state"],
  ["item.", "item"],
] as const;

function parseSource(source: string): Omit<Assignment, "target"> | undefined {
  if (source === "$") return { from: "output", path: [] };
  const [prefix, from] = SOURCES.find(([start]) => source.startsWith(start)) ?? [];
  const path = prefix === undefined ? undefined : parseStatePath(source.slice(prefix.length));
  return from && path && { from, path };
}

/** Dotted words. The three keys that reach an object's prototype are refused anywhere. */
export function parseStatePath(text: string): readonly string[] | undefined {
  const keys = text.split(".");
  const usable = keys.every((key) => /^[\w-]+$/.test(key) && !PROTOTYPE_KEYS.includes(key));
  return usable ? keys : undefined;
}
