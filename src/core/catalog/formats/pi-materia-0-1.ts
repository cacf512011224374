import { warning, type Issue, type Keys } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/values/json.ts";
import type { FormatEdit } from "./edit.ts";
import { loadoutEdits } from "./loadouts-0-1.ts";
import { materiaEdits } from "./materia-0-1.ts";
import { type Translation, NOTHING, fieldsOf, joinedTranslations } from "./translation.ts";

/** [M1] Whether a file has anything that only the older form has. */
export function isMateria01(raw: JsonObject, isToday: (loadout: unknown) => boolean): boolean {
  const [budget, materia, loadouts] = ["budget", "materia", "loadouts"].map((key) => fieldsOf(raw[key]));
  return (
    "eventing" in raw ||
    "parallelism" in raw ||
    "stopAtLimit" in (budget ?? {}) ||
    Object.values(materia ?? {}).some(isOlderMateria) ||
    Object.values(loadouts ?? {}).some(
      (loadout) => isOlderLoadout(loadout) || (!isToday(loadout) && hasOlderParts(loadout)),
    )
  );
}

function isOlderMateria(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return (
    isJsonObject(value["script"]) || ["utility", "lockState", "parallel", "parallelSafe"].some((key) => key in value)
  );
}

function isOlderLoadout(value: unknown): boolean {
  return isJsonObject(value) && ("lockState" in value || isJsonObject(fieldsOf(value["layout"])["sockets"]));
}

function hasOlderParts(loadout: Json): boolean {
  const { loops, sockets } = fieldsOf(loadout);
  return Object.values(fieldsOf(loops)).some(isOlderLoop) || Object.values(fieldsOf(sockets)).some(isOlderSocket);
}

function isOlderLoop(loop: Json): boolean {
  return isJsonObject(loop) && isJsonObject(loop["exit"]);
}

function isOlderSocket(socket: Json): boolean {
  if (!isJsonObject(socket)) return false;
  const { advance } = socket;
  return "socketKind" in socket || "empty" in socket || (isJsonObject(advance) && "done" in advance);
}

/** [M3, M4, M5, M6] */
export function readMateria01(raw: JsonObject): Translation {
  const lanes = fieldsOf(raw["parallelism"])["maxConcurrency"];
  const parallel = Object.entries(fieldsOf(raw["materia"]))
    .filter(([, materia]) => fieldsOf(materia)["parallel"] === true)
    .map(([name]) => name);
  return joinedTranslations([
    dropped(raw, ["eventing"], "events are not sent anywhere; `cast --json` prints each one as a line"),
    dropped(raw, ["budget", "stopAtLimit"], "a cast always stops at its limit, and goes on when it is raised"),
    silently(raw, ["parallelism"]),
    ...Object.entries(fieldsOf(raw["materia"])).map(([name, materia]) => materiaEdits(name, fieldsOf(materia))),
    ...Object.entries(fieldsOf(raw["loadouts"])).map(([name, loadout]) =>
      loadoutEdits(name, fieldsOf(loadout), { parallel, lanes: typeof lanes === "number" ? lanes : undefined }),
    ),
  ]);
}

/** [M4] One line that says what is not done. */
function dropped(raw: JsonObject, path: Keys, message: string): Translation {
  const { edits } = silently(raw, path);
  const issues: readonly Issue[] = edits.length === 0 ? [] : [warning("not_done", path, message)];
  return { edits, issues };
}

function silently(raw: JsonObject, path: Keys): Translation {
  const [first = "", second] = path;
  const holder = second === undefined ? raw : fieldsOf(raw[String(first)]);
  const edits: readonly FormatEdit[] = String(path.at(-1)) in holder ? [{ path }] : [];
  return edits.length === 0 ? NOTHING : { edits, issues: [] };
}
