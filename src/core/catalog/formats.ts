import { info, type Issue, type KeyPath, warning } from "../model/issue.ts";
import { isJsonObject, type JsonObject, type Json } from "../model/json.ts";
import {
  applyFormatEdits,
  originalPositions,
  type FormatEdit,
  type FormatTranslation,
  NO_EDITS,
  objectFields,
  joinTranslations,
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
  const told = info("older_format", "", message);
  return {
    value: applyFormatEdits(raw, edits),
    edits,
    issues: [told, ...issues],
    positionOf: originalPositions(edits),
  };
}

/** [M1] Whether a file has anything that only version 0.1 has. */
function isFormat01(raw: JsonObject): boolean {
  const [budget, materia, loadouts] = ["budget", "materia", "loadouts"].map((key) => objectFields(raw[key]));
  return (
    "eventing" in raw ||
    "parallelism" in raw ||
    "stopAtLimit" in (budget ?? {}) ||
    Object.values(materia ?? {}).some(isOlderMateria) ||
    Object.values(loadouts ?? {}).some((loadout) => isOlderLoadout(loadout) || hasOlderParts(loadout))
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
  return (
    Object.values(objectFields(loops)).some(isOlderLoop) || Object.values(objectFields(sockets)).some(isOlderSocket)
  );
}

function isOlderLoop(loop: Json): boolean {
  return isJsonObject(loop) && isJsonObject(loop["exit"]);
}

function isOlderSocket(socket: Json): boolean {
  if (!isJsonObject(socket)) return false;
  const { advance } = socket;
  return "socketKind" in socket || "empty" in socket || (isJsonObject(advance) && "done" in advance);
}

/** [M3, M4, M5, M6] The edits for a whole file of version 0.1. */
function translateFormat01(raw: JsonObject): FormatTranslation {
  const lanes = objectFields(raw["parallelism"])["maxConcurrency"];
  const parallel = new Map(
    Object.entries(objectFields(raw["materia"])).flatMap(([name, materia]): [string, number | undefined][] => {
      const { parallel: many } = objectFields(materia);
      if (typeof many === "number") return [[name, many]];
      return many === true ? [[name, undefined]] : [];
    }),
  );
  const hasEmptySockets = Object.values(objectFields(raw["loadouts"])).some((loadout) =>
    Object.values(objectFields(objectFields(loadout)["sockets"])).some((socket) => isEmptySocket(objectFields(socket))),
  );
  const emptySocket: FormatEdit = { path: ["materia", EMPTY_SOCKET], value: EMPTY_SOCKET_MATERIA };
  return joinTranslations([
    dropped([], raw, "eventing", "no events are sent; `cast --json` prints each event as a line"),
    dropped(["budget"], objectFields(raw["budget"]), "stopAtLimit", ALWAYS_STOPS),
    removeKeys([], raw, ["parallelism"]),
    hasEmptySockets ? { edits: [emptySocket], issues: [] } : NO_EDITS,
    ...Object.entries(objectFields(raw["materia"])).map(([name, materia]) =>
      translateMateria(name, objectFields(materia)),
    ),
    ...Object.entries(objectFields(raw["loadouts"])).map(([name, loadout]) =>
      translateLoadout(name, objectFields(loadout), { parallel, lanes: typeof lanes === "number" ? lanes : undefined }),
    ),
  ]);
}

const ALWAYS_STOPS = "a cast always stops at its limit; raise the limit to resume it";

/** [M4] One warning for a removed key. */
function dropped(path: readonly string[], holder: JsonObject, key: string, message: string): FormatTranslation {
  const { edits } = removeKeys(path, holder, [key]);
  return { edits, issues: edits.map((edit) => warning("unsupported_key", edit.path, message)) };
}
