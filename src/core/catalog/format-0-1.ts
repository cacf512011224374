import { info, warning, type KeyPath, type Issue } from "../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, withJsonAt } from "../model/json.ts";
import { oneLine } from "../model/text.ts";
import { BUNDLED_UTILITY_MATERIA, bundledScriptFile } from "./bundled-utilities.ts";

interface ConfigReading {
  readonly value: unknown;
  readonly edits: readonly FormatEdit[];
  readonly issues: readonly Issue[];
  readonly positionOf: (path: KeyPath) => KeyPath;
}

/** [M1] Reads a configuration in any known format; the current format stays unchanged. */
export function readAnyFormat(raw: unknown): ConfigReading {
  if (!isJsonObject(raw) || !isFormat01(raw)) return { value: raw, edits: [], issues: [], positionOf: (path) => path };
  const { edits, issues } = translateFormat01(raw);
  const message = 'it has the format of pi-materia 0.1; "materia init --from" writes the current format';
  const value = edits.reduce((edited: Json, each) => withJsonAt(edited, each.path, each.value), raw);
  return { value, edits, issues: [info("older_format", "", message), ...issues], positionOf: originalPositions(edits) };
}

/** [M1] Whether a file has anything that only version 0.1 has. */
function isFormat01(raw: JsonObject): boolean {
  return (
    hasAny(raw, ["eventing", "parallelism"]) ||
    "stopAtLimit" in objectFields(raw["budget"]) ||
    objectEntries(raw["materia"]).some(([, materia]) => isOlderMateria(materia)) ||
    objectEntries(raw["loadouts"]).some(([, loadout]) => isOlderLoadout(loadout))
  );
}

function isOlderMateria(materia: JsonObject): boolean {
  return isJsonObject(materia["script"]) || hasAny(materia, ["utility", "lockState", "parallel", "parallelSafe"]);
}

function isOlderLoadout(loadout: JsonObject): boolean {
  return (
    "lockState" in loadout ||
    isJsonObject(objectFields(loadout["layout"])["sockets"]) ||
    objectEntries(loadout["loops"]).some(([, loop]) => isJsonObject(loop["exit"])) ||
    objectEntries(loadout["sockets"]).some(
      ([, socket]) => hasAny(socket, ["socketKind", "empty"]) || "done" in objectFields(socket["advance"]),
    )
  );
}

function hasAny(object: JsonObject, keys: readonly string[]): boolean {
  return keys.some((key) => key in object);
}

/** [M3, M4, M5, M6] The edits for a whole file of version 0.1. */
function translateFormat01(raw: JsonObject): FormatTranslation {
  const into: FormatTranslation = { edits: [], issues: [] };
  const materia = objectEntries(raw["materia"]);
  const loadouts = objectEntries(raw["loadouts"]);
  const sockets = loadouts.flatMap(([, loadout]) => objectEntries(loadout["sockets"]));
  const most = objectFields(raw["parallelism"])["maxConcurrency"];
  const lanes = typeof most === "number" ? most : undefined;
  const parallel = new Map(
    materia.flatMap(([name, { parallel: many }]): [string, number | undefined][] => {
      if (typeof many === "number") return [[name, many]];
      return many === true ? [[name, undefined]] : [];
    }),
  );
  const stops = "a cast always stops at its limit; raise the limit to resume it";
  drop(into, [], raw, "eventing", "no events are sent; `cast --json` prints each event as a line");
  drop(into, ["budget"], objectFields(raw["budget"]), "stopAtLimit", stops);
  removeKeys(into, [], raw, ["parallelism"]);
  if (sockets.some(([, socket]) => isEmptySocket(socket)))
    into.edits.push({ path: ["materia", EMPTY_SOCKET], value: EMPTY_SOCKET_MATERIA });
  for (const [name, each] of materia) translateMateria(into, name, each);
  for (const [name, each] of loadouts) translateLoadout(into, name, each, { parallel, lanes });
  return into;
}

function objectEntries(value: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectFields(value)).map(([name, each]) => [name, objectFields(each)]);
}

/** [M4] One warning for a removed key. */
function drop(into: FormatTranslation, path: KeyPath, holder: JsonObject, key: string, message: string): void {
  if (!(key in holder)) return;
  removeKeys(into, path, holder, [key]);
  into.issues.push(warning("unsupported_key", [...path, key], message));
}

export interface FormatEdit {
  readonly path: KeyPath;
  /** Absent: remove the key. */
  readonly value?: Json;
  readonly was?: KeyPath;
}

/** [M2] The position in the user's file of a position in the translated one. */
function originalPositions(edits: readonly FormatEdit[]): (path: KeyPath) => KeyPath {
  const moved = edits.flatMap(({ path, was }) => (was ? [{ path, was }] : []));
  return (path) => {
    const found = moved
      .filter((each) => each.path.every((key, index) => path[index] === key))
      .toSorted((a, b) => b.path.length - a.path.length)[0];
    return found ? found.was : path;
  };
}

/** A value that is no object has no fields; reading the current format reports it. */
function objectFields(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

interface FormatTranslation {
  readonly edits: FormatEdit[];
  readonly issues: Issue[];
}

/** [M3] Keys without an effect here. */
function removeKeys({ edits }: FormatTranslation, path: KeyPath, holder: JsonObject, keys: readonly string[]): void {
  for (const key of keys) if (key in holder) edits.push({ path: [...path, key] });
}

interface ParallelSettings {
  /** How many items at once the list of each generator allows; undefined where the file names no number. */
  readonly parallel: ReadonlyMap<string, number | undefined>;
  readonly lanes: number | undefined;
}

function translateLoadout(into: FormatTranslation, name: string, loadout: JsonObject, lanes: ParallelSettings): void {
  const path = ["loadouts", name];
  removeKeys(into, path, loadout, ["id", "source", "lockState"]);
  editLayout(into, path, loadout);
  for (const [id, socket] of objectEntries(loadout["sockets"])) editSocket(into, [...path, "sockets", id], socket);
  for (const [id, loop] of objectEntries(loadout["loops"]))
    editLoop({ into, path, loadout, loop, at: [...path, "loops", id] }, lanes);
}

/** The 0.1 editor counted in cells. */
const CELL = { x: 290, y: 110 };

function editLayout({ edits }: FormatTranslation, path: readonly string[], loadout: JsonObject): void {
  const places = objectFields(loadout["layout"])["sockets"];
  if (!isJsonObject(places)) return;
  const placed = objectEntries(places).flatMap(([id, { x, y }]) => {
    if (typeof x !== "number" || typeof y !== "number") return [];
    return [[id, { x: Math.round(x * CELL.x), y: Math.round(y * CELL.y) }]];
  });
  const value = Object.fromEntries(placed);
  const layout = [...path, "layout"];
  edits.push({ path: layout, value, was: [...layout, "sockets"] });
}

function editSocket(into: FormatTranslation, path: readonly string[], socket: JsonObject): void {
  if (isEmptySocket(socket)) into.edits.push({ path: [...path, "materia"], value: EMPTY_SOCKET });
  removeKeys(into, path, socket, ["id", "source", "lockState", "socketKind", "empty"]);
  removeKeys(into, [...path, "advance"], objectFields(socket["advance"]), ["done"]);
}

/** [M3] A socket without a materia hands on what it was handed. */
const EMPTY_SOCKET = "Empty-Socket";
const EMPTY_SOCKET_MATERIA = { type: "utility", script: "Pass-On" };

function isEmptySocket(socket: JsonObject): boolean {
  return socket["empty"] === true && !("materia" in socket);
}

interface LoopContext {
  readonly into: FormatTranslation;
  /** Of its loadout, and its own. */
  readonly path: readonly string[];
  readonly at: readonly string[];
  readonly loadout: JsonObject;
  readonly loop: JsonObject;
}

function editLoop(place: LoopContext, lanes: ParallelSettings): void {
  editExits(place);
  removeKeys(place.into, place.at, place.loop, ["id", "source", "lockState", "exit"]);
  editAdvance(place);
  editParallel(place, lanes);
}

/** [M6] `exits` win. The single `exit` and then `requestResult` are older forms of the same. */
function editExits({ into, path, at, loadout, loop }: LoopContext): void {
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
    edits.push({ path: [...at, "exits", exits.length], value, was });
    exits.push(value);
  };
  add(objectFields(loop["exit"]), [...at, "exit"]);
  for (const id of membersOf(loop)) {
    const { done } = objectFields(objectFields(objectFields(loadout["sockets"])[id])["advance"]);
    // Without an exit a loop ends the cast anyway.
    if (done !== undefined && done !== "end") add({ from: id, to: done }, [...path, "sockets", id, "advance", "done"]);
  }
  // Written as a whole, because no path appends to a list. The positions of added entries follow it.
  if (edits.length > 0) into.edits.push({ path: [...at, "exits"], value: exits }, ...edits);
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
function editAdvance({ into, path, at, loadout, loop }: LoopContext): void {
  const sockets = objectFields(loadout["sockets"]);
  const { from, when } = objectFields(loop["exit"]);
  const advances = membersOf(loop).some((member) => "advance" in objectFields(sockets[member]));
  if (advances || !("consumes" in loop) || typeof from !== "string" || !membersOf(loop).includes(from)) return;
  const value = { cursor: "workItemIndex", items: "state.workItems", when: when ?? "always" };
  into.edits.push({ path: [...path, "sockets", from, "advance"], value, was: [...at, "exit"] });
}

const DEFAULT_PARALLEL_ITEMS = 4;

/** [M7] Parallel generators become parallel loops. */
function editParallel({ into, at, loadout, loop }: LoopContext, { parallel, lanes }: ParallelSettings): void {
  const from = objectFields(loop["consumes"])["from"];
  const materia =
    typeof from === "string" ? objectFields(objectFields(loadout["sockets"])[from])["materia"] : undefined;
  if (typeof materia !== "string" || !parallel.has(materia) || "parallel" in loop) return;
  into.edits.push({
    path: [...at, "parallel"],
    value: parallel.get(materia) ?? lanes ?? DEFAULT_PARALLEL_ITEMS,
    was: at,
  });
}

function bundledUtilityOf(file: string): string | undefined {
  if (file === "ensure-ignored.mjs") return "Ignore-Artifacts";
  return Object.keys(BUNDLED_UTILITY_MATERIA).find((name) => bundledScriptFile(name) === file);
}

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

function translateMateria(into: FormatTranslation, name: string, materia: JsonObject): void {
  const path = ["materia", name];
  removeKeys(into, path, materia, ["id", "source", "lockState", "parallel", "parallelSafe"]);
  editScript(into, path, materia);
  editUtility(into, path, materia);
  const color = [...path, "color"];
  const text = materia["color"];
  const [, hue] = /^materia-color-(.+)$/.exec(typeof text === "string" ? text : "") ?? [];
  if (hue !== undefined) into.edits.push({ path: color, value: COLORS[hue] ?? "slate", was: color });
}

/** [M5] Commands of 0.1 become bundled scripts. */
function editScript({ edits }: FormatTranslation, path: readonly string[], materia: JsonObject): void {
  const { script } = materia;
  if (!isJsonObject(script)) return;
  const file = typeof script["name"] === "string" ? script["name"] : "";
  const bundled = bundledUtilityOf(file);
  // An unknown script name is refused when the translated file is read.
  edits.push({ path: [...path, "script"], value: bundled ?? file, was: [...path, "script", "name"] });
  const { env, timeoutMs } = BUNDLED_UTILITY_MATERIA[bundled ?? ""] ?? {};
  if (env && !("env" in materia)) edits.push({ path: [...path, "env"], value: env });
  if (timeoutMs !== undefined && !("timeoutMs" in materia))
    edits.push({ path: [...path, "timeoutMs"], value: timeoutMs });
}

/** [M4] Work that the engine of 0.1 did. */
function editUtility({ edits, issues }: FormatTranslation, path: readonly string[], materia: JsonObject): void {
  const { utility } = materia;
  if (typeof utility !== "string") return;
  const was = [...path, "utility"];
  const isWorkspace = utility.startsWith("vcs.");
  edits.push({ path: was }, { path: [...path, "script"], value: isWorkspace ? "Pass-On" : utility, was });
  if (!isWorkspace) return;
  const message = `${oneLine(utility, 60)} has no effect: the engine itself makes and merges a folder for each parallel item`;
  edits.push({ path: [...path, "params"], value: { ...objectFields(materia["params"]), note: message } });
  issues.push(warning("unsupported_key", was, message));
}
