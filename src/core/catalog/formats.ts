import { info, type Issue, type KeyPath, warning } from "../model/issue.ts";
import { isJsonObject, type JsonObject, type Json, withJsonAt } from "../model/json.ts";
import {
  originalPositions,
  type FormatEdit,
  type FormatTranslation,
  objectFields,
  removeKeys,
  EMPTY_SOCKET,
  EMPTY_SOCKET_MATERIA,
  isEmptySocket,
  translateLoadout,
  translateMateria,
} from "./format-0-1.ts";

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
  drop(into, [], raw, "eventing", "no events are sent; `cast --json` prints each event as a line");
  drop(into, ["budget"], objectFields(raw["budget"]), "stopAtLimit", ALWAYS_STOPS);
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

const ALWAYS_STOPS = "a cast always stops at its limit; raise the limit to resume it";

/** [M4] One warning for a removed key. */
function drop(
  into: FormatTranslation,
  path: readonly string[],
  holder: JsonObject,
  key: string,
  message: string,
): void {
  if (!(key in holder)) return;
  removeKeys(into, path, holder, [key]);
  into.issues.push(warning("unsupported_key", [...path, key], message));
}
