import { isJsonObject, type Json, type JsonObject } from "../../model/values/json.ts";
import type { FormatEdit } from "./edit.ts";
import { type FormatTranslation, NO_EDITS, objectFields, joinTranslations, removeKeys } from "./translation.ts";

/** What of the whole file a loadout needs: generators whose items may run at once, and how many of them. */
interface ParallelSettings {
  readonly parallel: readonly string[];
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

/** The older editor counted in cells. */
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
    removeKeys(path, socket, ["id", "source", "lockState", "socketKind", "empty"]),
    removeKeys([...path, "advance"], objectFields(socket["advance"]), ["done"]),
  ]);
}

interface LoopContext {
  /** Of the loadout. */
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

/** [M6] Where `exits` say already where to go, they are meant; the single `exit` and then `requestResult` are what was there before them. */
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
  // Written as a whole: a list grows by no path. The places of what was added stand behind it.
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

/** [M6] The older engine moved on by itself where a loop with a list left by its exit. */
function advanceEdits({ path, loadout, loop, id }: LoopContext): FormatTranslation {
  const sockets = objectFields(loadout["sockets"]);
  const { from, when } = objectFields(loop["exit"]);
  const advances = membersOf(loop).some((member) => "advance" in objectFields(sockets[member]));
  if (advances || !("consumes" in loop) || typeof from !== "string" || !membersOf(loop).includes(from)) return NO_EDITS;
  const value = { cursor: "workItemIndex", items: "state.workItems", when: when ?? "always" };
  const was = [...path, "loops", id, "exit"];
  return { edits: [{ path: [...path, "sockets", from, "advance"], value, was }], issues: [] };
}

/** As many at once as the older program ran where its file did not say. */
const DEFAULT_PARALLEL_ITEMS = 4;

/** [M7] */
function parallelEdits(
  path: readonly string[],
  { loadout, loop }: LoopContext,
  { parallel, lanes }: ParallelSettings,
): FormatTranslation {
  const from = objectFields(loop["consumes"])["from"];
  const materia = typeof from === "string" ? objectFields(objectFields(loadout["sockets"])[from])["materia"] : undefined;
  if (typeof materia !== "string" || !parallel.includes(materia) || "parallel" in loop) return NO_EDITS;
  return { edits: [{ path: [...path, "parallel"], value: lanes ?? DEFAULT_PARALLEL_ITEMS, was: path }], issues: [] };
}
