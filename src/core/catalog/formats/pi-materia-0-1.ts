import { warning, type Issue, type KeyPath } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/values/json.ts";
import type { FormatEdit } from "./edit.ts";
import { translateLoadout } from "./loadouts-0-1.ts";
import { translateMateria } from "./materia-0-1.ts";
import { type FormatTranslation, NO_EDITS, objectFields, joinTranslations } from "./translation.ts";

/** [M1] Whether a file has anything that only the older form has. */
export function isFormat01(raw: JsonObject, isToday: (loadout: unknown) => boolean): boolean {
  const [budget, materia, loadouts] = ["budget", "materia", "loadouts"].map((key) => objectFields(raw[key]));
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
  return isJsonObject(value) && ("lockState" in value || isJsonObject(objectFields(value["layout"])["sockets"]));
}

function hasOlderParts(loadout: Json): boolean {
  const { loops, sockets } = objectFields(loadout);
  return Object.values(objectFields(loops)).some(isOlderLoop) || Object.values(objectFields(sockets)).some(isOlderSocket);
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
export function translateFormat01(raw: JsonObject): FormatTranslation {
  const lanes = objectFields(raw["parallelism"])["maxConcurrency"];
  const parallel = Object.entries(objectFields(raw["materia"]))
    .filter(([, materia]) => objectFields(materia)["parallel"] === true)
    .map(([name]) => name);
  return joinTranslations([
    dropped(raw, ["eventing"], "events are not sent anywhere; `cast --json` prints each one as a line"),
    dropped(raw, ["budget", "stopAtLimit"], "a cast always stops at its limit, and goes on when it is raised"),
    removeKeyAt(raw, ["parallelism"]),
    ...Object.entries(objectFields(raw["materia"])).map(([name, materia]) => translateMateria(name, objectFields(materia))),
    ...Object.entries(objectFields(raw["loadouts"])).map(([name, loadout]) =>
      translateLoadout(name, objectFields(loadout), { parallel, lanes: typeof lanes === "number" ? lanes : undefined }),
    ),
  ]);
}

/** [M4] One line that says what is not done. */
function dropped(raw: JsonObject, path: KeyPath, message: string): FormatTranslation {
  const { edits } = removeKeyAt(raw, path);
  const issues: readonly Issue[] = edits.length === 0 ? [] : [warning("not_done", path, message)];
  return { edits, issues };
}

function removeKeyAt(raw: JsonObject, path: KeyPath): FormatTranslation {
  const [first = "", second] = path;
  const holder = second === undefined ? raw : objectFields(raw[String(first)]);
  const edits: readonly FormatEdit[] = String(path.at(-1)) in holder ? [{ path }] : [];
  return edits.length === 0 ? NO_EDITS : { edits, issues: [] };
}
