import { readLayer, type CatalogEntry } from "../catalog/layer.ts";
import { isError, ok, type Issue, type Result } from "../model/issue.ts";
import type { Loadout, Exit, Loop, Socket } from "../model/loadout.ts";
import { EMPTY_LOADOUT } from "./loadout-edit.ts";
import { parseJsonc, LOADOUT_EXPANDED_LEVELS, printJson } from "./json-text.ts";
import { updateJsonText } from "./json-edit.ts";
import { type JsonObject, withoutUndefined } from "../model/json.ts";

/** A loadout in the editor: its graph and its text, always consistent. */
export interface LoadoutDraft {
  /** For a broken text: its readable part, or the last complete graph. */
  readonly loadout: Loadout;
  readonly text: string;
  /** The issues of the text. The compiler reports those of the graph. */
  readonly issues: readonly Issue[];
}

export function draftFromLoadout(name: string, loadout: Loadout): LoadoutDraft {
  return readDraft(name, printLoadout(loadout), loadout);
}

/** The draft for the compiler; of a broken text the readable part. */
export function catalogEntryOf(name: string, { loadout, issues }: LoadoutDraft): CatalogEntry<Loadout> {
  return { name, layer: "project", issues, ...(issues.some(isError) ? { partial: loadout } : { value: loadout }) };
}

export function draftFromText(name: string, text: string): LoadoutDraft {
  return readDraft(name, text, EMPTY_LOADOUT);
}

export function printLoadout(loadout: Loadout): string {
  return printJson(loadoutToJson(loadout), "", LOADOUT_EXPANDED_LEVELS);
}

/** [E13] Applies an edit of the graph to the text. */
export function applyGraphEdit(draft: LoadoutDraft, name: string, loadout: Loadout): LoadoutDraft {
  if (loadout === draft.loadout) return draft;
  const isJson = draft.issues.length === 0 || parseJsonc(draft.text).ok;
  const after = loadoutToJson(loadout);
  // A text that is no JSON cannot be edited in place; write the whole graph.
  const text = isJson ? updateJsonText(draft.text, loadoutToJson(draft.loadout), after) : printLoadout(loadout);
  return readDraft(name, text, loadout);
}

/** [E13] Applies an edit of the text; the graph follows once the text is readable. */
export function applyTextEdit(draft: LoadoutDraft, name: string, text: string): LoadoutDraft {
  return text === draft.text ? draft : readDraft(name, text, draft.loadout);
}

function readDraft(name: string, text: string, fallback: Loadout): LoadoutDraft {
  const read = parseJsonc(text);
  if (!read.ok) return { loadout: fallback, text, issues: read.issues };
  const { value } = read.value;
  const entry = readLayer("explicit", { loadouts: { [name]: value } }).loadouts.get(name);
  return { loadout: entry?.value ?? entry?.partial ?? fallback, text, issues: entry?.issues ?? [] };
}

/** One imported loadout, possibly broken. */
export interface ImportedLoadout {
  readonly name: string;
  readonly draft: LoadoutDraft;
}

/** [E16] Every loadout of a text: a configuration file, or a single loadout. */
export function importLoadouts(text: string, fallbackName: string): Result<readonly ImportedLoadout[]> {
  const read = parseJsonc(text);
  if (!read.ok) return read;
  const named = loadoutsIn(read.value.value);
  const all = named ?? [[fallbackName, text] as const];
  return ok(all.map(([name, own]) => ({ name, draft: draftFromText(name, own) })));
}

function loadoutsIn(value: unknown): readonly (readonly [string, string])[] | undefined {
  if (typeof value !== "object" || value === null || !("loadouts" in value)) return undefined;
  const { loadouts } = value;
  if (typeof loadouts !== "object" || loadouts === null) return undefined;
  return Object.entries(loadouts)
    .filter(([, each]) => each !== null)
    .map(([name, each]) => [name, JSON.stringify(each, undefined, 2)]);
}

/** A loadout as a person would write it: without defaults, keys in reading order. */
export function loadoutToJson(loadout: Loadout): JsonObject {
  const { description, entry, sockets, loops, layout } = loadout;
  return withoutUndefined({
    description,
    entry,
    sockets: Object.fromEntries(Object.entries(sockets).map(([id, socket]) => [id, socketToJson(socket)])),
    loops: unlessEmpty(Object.fromEntries(Object.entries(loops).map(([id, loop]) => [id, loopToJson(loop)]))),
    layout: unlessEmpty(layout),
  });
}

export function socketToJson({ materia, parse, assign, advance, edges }: Socket): JsonObject {
  return withoutUndefined({
    materia,
    parse,
    assign: assign && unlessEmpty(assign),
    advance: advance && withoutUndefined({ cursor: advance.cursor, items: advance.items, when: advance.when }),
    edges:
      edges.length === 0
        ? undefined
        : edges.map(({ when, to, maxTraversals, then }) => withoutUndefined({ when, to, maxTraversals, then })),
  });
}

function loopToJson({ label, sockets, consumes, parallel, exits }: Loop): JsonObject {
  return withoutUndefined({
    label,
    sockets: [...sockets],
    consumes: consumes && { from: consumes.from, output: consumes.output },
    parallel,
    exits: exits.length === 0 ? undefined : exits.map(exitToJson),
  });
}

function exitToJson({ id, from, condition, targetSocketId }: Exit): JsonObject {
  return { id, from, condition, targetSocketId };
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}
