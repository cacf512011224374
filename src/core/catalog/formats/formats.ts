import { info, type Issue, type KeyPath } from "../../model/issue.ts";
import { isJsonObject, type JsonObject } from "../../model/values/json.ts";
import { applyFormatEdits, originalPositions, type FormatEdit } from "./edit.ts";
import { isFormat01, translateFormat01 } from "./pi-materia-0-1.ts";

/** A form in which configurations were once written. */
interface ConfigFormat {
  readonly name: string;
  readonly matches: (raw: JsonObject, isToday: IsCurrentFormat) => boolean;
  /** What makes a file of today out of it, and what of it is not done. */
  readonly read: (raw: JsonObject) => { readonly edits: readonly FormatEdit[]; readonly issues: readonly Issue[] };
}

/** Whether a loadout is known to hold nothing but what is written today: thousands of sockets need not be searched again. */
export type IsCurrentFormat = (loadout: unknown) => boolean;

/** One row per format; the first that matches reads the file. */
const FORMATS: readonly ConfigFormat[] = [{ name: "pi-materia 0.1", matches: isFormat01, read: translateFormat01 }];

interface ConfigReading {
  /** The file as it would be written today. */
  readonly value: unknown;
  readonly edits: readonly FormatEdit[];
  readonly issues: readonly Issue[];
  readonly positionOf: (path: KeyPath) => KeyPath;
}

/** [M1] A configuration in whichever known form it is written; one of today as it is. */
export function readAnyFormat(raw: unknown, isToday: IsCurrentFormat = () => false): ConfigReading {
  const format = isJsonObject(raw) ? FORMATS.find(({ matches }) => matches(raw, isToday)) : undefined;
  if (!format || !isJsonObject(raw)) return { value: raw, edits: [], issues: [], positionOf: (path) => path };
  const { edits, issues } = format.read(raw);
  const told = info("older_format", "", `reads as ${format.name}; "materia init --from" writes it in today's form`);
  return { value: applyFormatEdits(raw, edits), edits, issues: [told, ...issues], positionOf: originalPositions(edits) };
}
