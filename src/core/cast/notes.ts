import { materiaOf } from "../compile/graph.ts";
import type { GraphSocket } from "../compile/graph.ts";
import { isJsonObject } from "../model/json.ts";
import type { JsonObject } from "../model/json.ts";
import { valueAt } from "../model/path.ts";
import { cut } from "../model/text.ts";
import type { CastState, Note } from "./state.ts";

/** With the words that mark a cut it stays below 2,000 characters. */
const NOTE_LIMIT = 1_950;

/** [P9] What was said beside a list holds as long as the list does. */
export function notesAfter(state: CastState, socket: GraphSocket, handoff: JsonObject): CastState["notes"] {
  const patched = isJsonObject(handoff["state"]) ? Object.keys(handoff["state"]) : [];
  if (socket.assign.length === 0 && patched.length === 0) return state.notes;
  const made = socket.assign.filter((each) => each.from === "output" && each.path.join(".") === "workItems");
  const written = [...socket.assign.map(({ target }) => target.join(".")), ...patched];
  const passedOn = made
    .map(({ target }) => target.join("."))
    .filter((path) => isPassedOn(state, socket, path, handoff));
  const replaced = written.filter((path) => !passedOn.includes(path));
  const kept = Object.entries(state.notes).filter(([path]) => !replaced.some((other) => overlaps(path, other)));
  const note = noteOf(socket, handoff);
  const added = note ? made.map(({ target }): [string, Note] => [target.join("."), note]) : [];
  return Object.fromEntries([...kept, ...added.filter(([path]) => !passedOn.includes(path))]);
}

/** A program that hands on the list it found, to judge its titles, has not made another. */
function isPassedOn(state: CastState, socket: GraphSocket, path: string, { workItems }: JsonObject): boolean {
  if (materiaOf(state.graph, socket).type === "agent") return false;
  return JSON.stringify(valueAt(state.data, path.split("."))) === JSON.stringify(workItems);
}

function overlaps(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`) || other.startsWith(`${path}.`);
}

function noteOf(socket: GraphSocket, { context }: JsonObject): Note | undefined {
  if (!socket.generator || typeof context !== "string" || context.trim() === "") return undefined;
  return { socket: socket.id, materia: socket.materia, text: cut(context.trim(), NOTE_LIMIT) };
}
