import { readLayer } from "../../catalog/layer.ts";
import { isError, ok } from "../../model/issue.ts";
import type { Issue, Result } from "../../model/issue.ts";
import type { Loadout } from "../../model/loadout.ts";
import { authoredLoadout } from "./authored.ts";
import { parseJsonc } from "./parse.ts";
import { printJson } from "./print.ts";
import { stepText } from "./step.ts";

/** A loadout in hand: the graph and its text, always in step. While the text is broken the graph is the last whole one. */
export interface Draft {
  readonly loadout: Loadout;
  readonly text: string;
  /** What is wrong with the text alone; the graph has problems of its own. */
  readonly issues: readonly Issue[];
}

export function draftOf(loadout: Loadout, text?: string): Draft {
  if (text !== undefined) {
    const read = readLoadoutText("Draft", text);
    if (read.loadout) return { loadout: read.loadout, text, issues: [] };
  }
  return { loadout, text: printJson(authoredLoadout(loadout)), issues: [] };
}

/** [E13] An edit of the graph, written into the text. */
export function edited(draft: Draft, loadout: Loadout): Draft {
  if (loadout === draft.loadout) return draft;
  // A broken text cannot be stepped; what the graph says is written anew.
  const text =
    draft.issues.length > 0
      ? printJson(authoredLoadout(loadout))
      : stepText(draft.text, authoredLoadout(draft.loadout), authoredLoadout(loadout));
  return { loadout, text, issues: [] };
}

/** [E13] An edit of the text; the graph follows as soon as it can be read. */
export function typed(draft: Draft, name: string, text: string): Draft {
  if (text === draft.text) return draft;
  const { loadout, issues } = readLoadoutText(name, text);
  return { loadout: loadout ?? draft.loadout, text, issues: loadout ? [] : issues };
}

/** A loadout from its own text, read through the same door as a file. */
export function readLoadoutText(
  name: string,
  text: string,
): { readonly loadout?: Loadout; readonly issues: readonly Issue[] } {
  const read = parseJsonc(text);
  if (!read.ok) return { issues: read.issues };
  const entry = readLayer("explicit", { loadouts: { [name]: read.value.value } }).loadouts.get(name);
  if (!entry) return { issues: [] };
  return entry.value ? { loadout: entry.value, issues: entry.issues } : { issues: entry.issues.filter(isError) };
}

/** What a person brings: a file with loadouts, or one loadout by itself. Broken ones come along with their problems. */
export interface Imported {
  readonly name: string;
  readonly text: string;
  readonly loadout: Loadout | null;
  readonly issues: readonly Issue[];
}

/** [E16] Every loadout of a text, broken ones included. */
export function importLoadouts(text: string, fallbackName: string): Result<readonly Imported[]> {
  const read = parseJsonc(text);
  if (!read.ok) return read;
  const { value } = read.value;
  const named = loadoutsIn(value);
  if (!named) return ok([imported(fallbackName, text)]);
  return ok(Object.entries(named).map(([name, each]) => imported(name, JSON.stringify(each, undefined, 2))));
}

function loadoutsIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || !("loadouts" in value)) return undefined;
  const { loadouts } = value;
  return typeof loadouts === "object" && loadouts !== null ? (loadouts as Readonly<Record<string, unknown>>) : undefined;
}

function imported(name: string, text: string): Imported {
  const { loadout, issues } = readLoadoutText(name, text);
  return { name, text, loadout: loadout ?? null, issues };
}
