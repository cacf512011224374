import { isJsonObject, type Json, type JsonObject, withJsonAt } from "../model/json.ts";
import { warning, type KeyPath, type Issue } from "../model/issue.ts";
import { oneLine } from "../model/text.ts";
import { BUNDLED_UTILITY_MATERIA, BUNDLED_VERSION_CONTROL } from "./bundled-utilities.ts";

/** One step from an older file to the current format: a value to write, or a key to remove. */
export interface FormatEdit {
  readonly path: KeyPath;
  /** Absent: remove the key. */
  readonly value?: Json;
  readonly was?: KeyPath;
}

export function applyFormatEdits(raw: Json, edits: readonly FormatEdit[]): Json {
  return edits.reduce((value, { path, value: next }) => withJsonAt(value, path, next), raw);
}

/** [M2] The position in the user's file of a position in the translated one. */
export function originalPositions(edits: readonly FormatEdit[]): (path: KeyPath) => KeyPath {
  const moved = edits.flatMap(({ path, was }) => (was ? [{ path, was }] : []));
  return (path) => {
    const found = moved
      .filter((each) => each.path.every((key, index) => path[index] === key))
      .toSorted((a, b) => b.path.length - a.path.length)[0];
    return found ? found.was : path;
  };
}

/** The edits that make a part current, and warnings for keys without an effect. */
export interface FormatTranslation {
  readonly edits: readonly FormatEdit[];
  readonly issues: readonly Issue[];
}

export const NO_EDITS: FormatTranslation = { edits: [], issues: [] };

export function joinTranslations(parts: readonly FormatTranslation[]): FormatTranslation {
  return { edits: parts.flatMap(({ edits }) => edits), issues: parts.flatMap(({ issues }) => issues) };
}

/** A value that is no object has no fields; reading the current format reports it. */
export function objectFields(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** [M3] Keys without an effect here. */
export function removeKeys(path: readonly string[], holder: JsonObject, keys: readonly string[]): FormatTranslation {
  return { edits: keys.filter((key) => key in holder).map((key) => ({ path: [...path, key] })), issues: [] };
}

/** Facts of the whole file that a loadout needs: generators of parallel items, and their number at once. */
interface ParallelSettings {
  /** How many items at once the list of each generator allows; undefined where the file names no number. */
  readonly parallel: ReadonlyMap<string, number | undefined>;
  readonly lanes: number | undefined;
}

export function translateLoadout(name: string, loadout: JsonObject, lanes: ParallelSettings): FormatTranslation {
  const path = ["loadouts", name];
  const sockets = Object.entries(objectFields(loadout["sockets"]));
  const loops = Object.entries(objectFields(loadout["loops"]));
  return joinTranslations([
    removeKeys(path, loadout, ["id", "source", "lockState"]),
    layoutEdits(path, loadout),
    ...sockets.map(([id, socket]) => socketEdits([...path, "sockets", id], objectFields(socket))),
    ...loops.map(([id, loop]) => loopEdits({ path, loadout, id, loop: objectFields(loop) }, lanes)),
  ]);
}

/** The 0.1 editor counted in cells. */
const CELL = { x: 290, y: 110 };

function layoutEdits(path: readonly string[], loadout: JsonObject): FormatTranslation {
  const places = objectFields(loadout["layout"])["sockets"];
  if (!isJsonObject(places)) return NO_EDITS;
  const value = Object.fromEntries(
    Object.entries(places).flatMap(([id, place]) => {
      const { x, y } = objectFields(place);
      return typeof x === "number" && typeof y === "number"
        ? [[id, { x: Math.round(x * CELL.x), y: Math.round(y * CELL.y) }]]
        : [];
    }),
  );
  const layout = [...path, "layout"];
  return { edits: [{ path: layout, value, was: [...layout, "sockets"] }], issues: [] };
}

function socketEdits(path: readonly string[], socket: JsonObject): FormatTranslation {
  return joinTranslations([
    ...(isEmptySocket(socket) ? [{ edits: [{ path: [...path, "materia"], value: EMPTY_SOCKET }], issues: [] }] : []),
    removeKeys(path, socket, ["id", "source", "lockState", "socketKind", "empty"]),
    removeKeys([...path, "advance"], objectFields(socket["advance"]), ["done"]),
  ]);
}

/** [M3] A socket without a materia hands on what it was handed. */
export const EMPTY_SOCKET = "Empty-Socket";
export const EMPTY_SOCKET_MATERIA = { type: "utility", script: "Pass-On" };

export function isEmptySocket(socket: JsonObject): boolean {
  return socket["empty"] === true && !("materia" in socket);
}

interface LoopContext {
  readonly path: readonly string[];
  readonly loadout: JsonObject;
  readonly id: string;
  readonly loop: JsonObject;
}

function loopEdits(place: LoopContext, lanes: ParallelSettings): FormatTranslation {
  const path = [...place.path, "loops", place.id];
  return joinTranslations([
    exitEdits(path, place),
    removeKeys(path, place.loop, ["id", "source", "lockState", "exit"]),
    advanceEdits(place),
    parallelEdits(path, place, lanes),
  ]);
}

/** [M6] `exits` win. The single `exit` and then `requestResult` are older forms of the same. */
function exitEdits(path: readonly string[], { path: inFile, loadout, loop }: LoopContext): FormatTranslation {
  const exits: Json[] = Array.isArray(loop["exits"]) ? [...(loop["exits"] as readonly Json[])] : []; // it was read from JSON
  const edits: FormatEdit[] = [];
  const add = ({ from, when, to }: JsonObject, was: readonly string[]): void => {
    if (typeof from !== "string" || typeof to !== "string" || isCovered(exits, from, when)) return;
    const condition = when ?? "always";
    const value = {
      id: `exit:${from}:${typeof condition === "string" ? condition : exits.length}`,
      from,
      condition,
      targetSocketId: to,
    };
    edits.push({ path: [...path, "exits", exits.length], value, was });
    exits.push(value);
  };
  add(objectFields(loop["exit"]), [...path, "exit"]);
  for (const id of membersOf(loop)) {
    const { done } = objectFields(objectFields(objectFields(loadout["sockets"])[id])["advance"]);
    // Without an exit a loop ends the cast anyway.
    if (done !== undefined && done !== "end")
      add({ from: id, to: done }, [...inFile, "sockets", id, "advance", "done"]);
  }
  if (edits.length === 0) return NO_EDITS;
  // Written as a whole, because no path appends to a list. The positions of added entries follow it.
  return { edits: [{ path: [...path, "exits"], value: exits }, ...edits], issues: [] };
}

function isCovered(exits: readonly Json[], from: string, when: Json | undefined): boolean {
  return exits
    .map(objectFields)
    .some((exit) => exit["from"] === from && ["always", when ?? "always"].includes(exit["condition"] ?? ""));
}

function membersOf(loop: JsonObject): readonly string[] {
  const { sockets } = loop;
  return Array.isArray(sockets) ? sockets.filter((id: Json): id is string => typeof id === "string") : [];
}

/** [M6] Version 0.1 advanced by itself when a loop with a list left by its exit. */
function advanceEdits({ path, loadout, loop, id }: LoopContext): FormatTranslation {
  const sockets = objectFields(loadout["sockets"]);
  const { from, when } = objectFields(loop["exit"]);
  const advances = membersOf(loop).some((member) => "advance" in objectFields(sockets[member]));
  if (advances || !("consumes" in loop) || typeof from !== "string" || !membersOf(loop).includes(from)) return NO_EDITS;
  const value = { cursor: "workItemIndex", items: "state.workItems", when: when ?? "always" };
  const was = [...path, "loops", id, "exit"];
  return { edits: [{ path: [...path, "sockets", from, "advance"], value, was }], issues: [] };
}

/** The parallel items of version 0.1 where its file had no number. */
const DEFAULT_PARALLEL_ITEMS = 4;

/** [M7] Parallel generators become parallel loops. */
function parallelEdits(
  path: readonly string[],
  { loadout, loop }: LoopContext,
  { parallel, lanes }: ParallelSettings,
): FormatTranslation {
  const from = objectFields(loop["consumes"])["from"];
  const materia =
    typeof from === "string" ? objectFields(objectFields(loadout["sockets"])[from])["materia"] : undefined;
  if (typeof materia !== "string" || !parallel.has(materia) || "parallel" in loop) return NO_EDITS;
  const value = parallel.get(materia) ?? lanes ?? DEFAULT_PARALLEL_ITEMS;
  return { edits: [{ path: [...path, "parallel"], value, was: path }], issues: [] };
}

/** Files that a 0.1 configuration names, and the bundled utilities that replace them. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "ensure-ignored.mjs": "Ignore-Artifacts",
  "detect-vcs.mjs": "Detect-VCS",
  "commit-sigil.mjs": "Commit-Sigil",
  "blackbelt-bootstrap.mjs": "Blackbelt-Bootstrap",
  "blackbelt-maintain.mjs": "Blackbelt-Maintain",
  "blackbelt-gh-pr.mjs": "Blackbelt-GH-PR",
  "blackbelt-ado-pr.mjs": "Blackbelt-ADO-PR",
  "mime-bootstrap.mjs": "Mime-Bootstrap",
  "mime-maintain.mjs": "Mime-Maintain",
  "mime-gh-pr.mjs": "Mime-GH-PR",
  "mime-ado-pr.mjs": "Mime-ADO-PR",
};

const COLORS: Readonly<Record<string, string>> = {
  cyan: "lagoon",
  blue: "azure",
  green: "leaf",
  purple: "violet",
  yellow: "gold",
  orange: "ember",
  red: "rose",
  pink: "rose",
};

/** Replaces work on jj workspaces: the engine makes and merges a separate folder for each parallel item. */
const WORKSPACES_NOT_NEEDED = "the engine itself makes and merges a folder for each parallel item";

export function translateMateria(name: string, materia: JsonObject): FormatTranslation {
  const path = ["materia", name];
  return joinTranslations([
    removeKeys(path, materia, ["id", "source", "lockState", "parallel", "parallelSafe"]),
    scriptEdits(path, materia),
    utilityEdits(path, materia),
    colorEdits(path, materia),
  ]);
}

/** [M5] Commands of 0.1 become bundled scripts. */
function scriptEdits(path: readonly string[], materia: JsonObject): FormatTranslation {
  const { script } = materia;
  if (!isJsonObject(script)) return NO_EDITS;
  const was = [...path, "script", "name"];
  const file = typeof script["name"] === "string" ? script["name"] : "";
  const known = Object.hasOwn(SCRIPTS, file) ? SCRIPTS[file] : undefined;
  // An unknown script name is refused when the translated file is read.
  if (known === undefined) return { edits: [{ path: [...path, "script"], value: file, was }], issues: [] };
  const { env, timeoutMs } = { ...BUNDLED_UTILITY_MATERIA, ...BUNDLED_VERSION_CONTROL }[known] ?? {};
  const brings: readonly FormatEdit[] = [
    ...(env && !("env" in materia) ? [{ path: [...path, "env"], value: env }] : []),
    ...(timeoutMs !== undefined && !("timeoutMs" in materia)
      ? [{ path: [...path, "timeoutMs"], value: timeoutMs }]
      : []),
  ];
  return { edits: [{ path: [...path, "script"], value: known, was }, ...brings], issues: [] };
}

/** [M4] Work that the engine of 0.1 did. */
function utilityEdits(path: readonly string[], materia: JsonObject): FormatTranslation {
  const { utility } = materia;
  if (typeof utility !== "string") return NO_EDITS;
  const was = [...path, "utility"];
  const gone: FormatEdit = { path: was };
  const script = [...path, "script"];
  if (!utility.startsWith("vcs.")) return { edits: [gone, { path: script, value: utility, was }], issues: [] };
  const message = `${oneLine(utility, 60)} has no effect: ${WORKSPACES_NOT_NEEDED}`;
  const params = { ...objectFields(materia["params"]), note: message };
  return {
    edits: [gone, { path: script, value: "Pass-On", was }, { path: [...path, "params"], value: params }],
    issues: [warning("unsupported_key", was, message)],
  };
}

function colorEdits(path: readonly string[], { color }: JsonObject): FormatTranslation {
  const [, name] = typeof color === "string" ? (/^materia-color-(.+)$/.exec(color) ?? []) : [];
  if (name === undefined) return NO_EDITS;
  return { edits: [{ path: [...path, "color"], value: COLORS[name] ?? "slate", was: [...path, "color"] }], issues: [] };
}
