import { isJsonObject, type Json, type JsonObject } from "../../model/values/json.ts";
import type { FormatEdit } from "./edit.ts";
import { type Translation, NOTHING, fieldsOf, joinedTranslations, removedKeys } from "./translation.ts";

/** What of the whole file a loadout needs: generators whose items may run at once, and how many of them. */
interface ParallelItems {
  readonly parallel: readonly string[];
  readonly lanes: number | undefined;
}

export function loadoutEdits(name: string, loadout: JsonObject, lanes: ParallelItems): Translation {
  const path = ["loadouts", name];
  const sockets = Object.entries(fieldsOf(loadout["sockets"]));
  const loops = Object.entries(fieldsOf(loadout["loops"]));
  return joinedTranslations([
    removedKeys(path, loadout, ["id", "source", "lockState"]),
    layoutEdits(path, loadout),
    ...sockets.map(([id, socket]) => socketEdits([...path, "sockets", id], fieldsOf(socket))),
    ...loops.map(([id, loop]) => loopEdits({ path, loadout, id, loop: fieldsOf(loop) }, lanes)),
  ]);
}

/** The older editor counted in cells. */
const CELL = { x: 290, y: 110 };

function layoutEdits(path: readonly string[], loadout: JsonObject): Translation {
  const places = fieldsOf(loadout["layout"])["sockets"];
  if (!isJsonObject(places)) return NOTHING;
  const value = Object.fromEntries(
    Object.entries(places).flatMap(([id, place]) => {
      const { x, y } = fieldsOf(place);
      return typeof x === "number" && typeof y === "number"
        ? [[id, { x: Math.round(x * CELL.x), y: Math.round(y * CELL.y) }]]
        : [];
    }),
  );
  const layout = [...path, "layout"];
  return { edits: [{ path: layout, value, was: [...layout, "sockets"] }], issues: [] };
}

function socketEdits(path: readonly string[], socket: JsonObject): Translation {
  return joinedTranslations([
    removedKeys(path, socket, ["id", "source", "lockState", "socketKind", "empty"]),
    removedKeys([...path, "advance"], fieldsOf(socket["advance"]), ["done"]),
  ]);
}

interface LoopPlace {
  /** Of the loadout. */
  readonly path: readonly string[];
  readonly loadout: JsonObject;
  readonly id: string;
  readonly loop: JsonObject;
}

function loopEdits(place: LoopPlace, lanes: ParallelItems): Translation {
  const path = [...place.path, "loops", place.id];
  return joinedTranslations([
    exitEdits(path, place),
    removedKeys(path, place.loop, ["id", "source", "lockState", "exit"]),
    advanceEdits(place),
    parallelEdits(path, place, lanes),
  ]);
}

/** [M6] Where `exits` say already where to go, they are meant; the single `exit` and then `done` are what was there before them. */
function exitEdits(path: readonly string[], { path: inFile, loadout, loop }: LoopPlace): Translation {
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
  add(fieldsOf(loop["exit"]), [...path, "exit"]);
  for (const id of membersOf(loop)) {
    const { done } = fieldsOf(fieldsOf(fieldsOf(loadout["sockets"])[id])["advance"]);
    // Without an exit a loop ends the cast anyway.
    if (done !== undefined && done !== "end")
      add({ from: id, to: done }, [...inFile, "sockets", id, "advance", "done"]);
  }
  if (edits.length === 0) return NOTHING;
  // Written as a whole: a list grows by no path. The places of what was added stand behind it.
  return { edits: [{ path: [...path, "exits"], value: exits }, ...edits], issues: [] };
}

function isCovered(exits: readonly Json[], from: string, when: Json | undefined): boolean {
  return exits
    .map(fieldsOf)
    .some((exit) => exit["from"] === from && ["always", when ?? "always"].includes(exit["condition"] ?? ""));
}

function membersOf(loop: JsonObject): readonly string[] {
  const { sockets } = loop;
  return Array.isArray(sockets) ? sockets.filter((id: Json): id is string => typeof id === "string") : [];
}

/** [M6] The older engine moved on by itself where a loop with a list left by its exit. */
function advanceEdits({ path, loadout, loop, id }: LoopPlace): Translation {
  const sockets = fieldsOf(loadout["sockets"]);
  const { from, when } = fieldsOf(loop["exit"]);
  const advances = membersOf(loop).some((member) => "advance" in fieldsOf(sockets[member]));
  if (advances || !("consumes" in loop) || typeof from !== "string" || !membersOf(loop).includes(from)) return NOTHING;
  const value = { cursor: "workItemIndex", items: "state.workItems", when: when ?? "always" };
  const was = [...path, "loops", id, "exit"];
  return { edits: [{ path: [...path, "sockets", from, "advance"], value, was }], issues: [] };
}

/** As many at once as the older program ran where its file did not say. */
const LANES = 4;

/** [M7] */
function parallelEdits(
  path: readonly string[],
  { loadout, loop }: LoopPlace,
  { parallel, lanes }: ParallelItems,
): Translation {
  const from = fieldsOf(loop["consumes"])["from"];
  const materia = typeof from === "string" ? fieldsOf(fieldsOf(loadout["sockets"])[from])["materia"] : undefined;
  if (typeof materia !== "string" || !parallel.includes(materia) || "parallel" in loop) return NOTHING;
  return { edits: [{ path: [...path, "parallel"], value: lanes ?? LANES, was: path }], issues: [] };
}
