import type { GraphSocket } from "../../compile/graph.ts";
import type { JsonObject } from "../../model/values/json.ts";
import { valueAt } from "../../model/values/path.ts";
import { truncate } from "../../model/values/text.ts";
import type { GeneratorNote } from "../state/fork.ts";
import type { CastState } from "../state/state.ts";

/** With the words that mark a cut it stays below 2,000 characters. */
const NOTE_LIMIT = 1_950;

/** [P9] What was said beside a list holds as long as the list does. */
export function updateNotes(
  before: CastState,
  data: JsonObject,
  socket: GraphSocket,
  handoff: JsonObject,
): CastState["notes"] {
  if (before.data === data) return before.notes;
  const isReplaced = (path: string): boolean =>
    valueAt(before.data, path.split(".")) !== valueAt(data, path.split("."));
  const kept = Object.entries(before.notes).filter(([path]) => !isReplaced(path));
  const note = generatorNote(socket, handoff);
  const made = listTargets(socket).filter(isReplaced);
  return Object.fromEntries([...kept, ...(note ? made.map((path): [string, GeneratorNote] => [path, note]) : [])]);
}

/** Where the list of a handoff goes. */
function listTargets({ assign }: GraphSocket): readonly string[] {
  return assign
    .filter((each) => each.from === "output" && each.path.join(".") === "workItems")
    .map(({ target }) => target.join("."));
}

/** What was said beside the list that stands at this path of state. */
export function noteForList(notes: CastState["notes"], path: readonly string[]): GeneratorNote | null {
  const key = path.join(".");
  // A path may be a word that every object seems to have.
  return Object.hasOwn(notes, key) ? (notes[key] ?? null) : null;
}

function generatorNote(socket: GraphSocket, { context }: JsonObject): GeneratorNote | undefined {
  if (!socket.generator || typeof context !== "string" || context.trim() === "") return undefined;
  return { socket: socket.id, materia: socket.materia, text: truncate(context.trim(), NOTE_LIMIT) };
}
