import { info, type Issue, type Keys } from "../../model/issue.ts";
import { isJsonObject, type JsonObject } from "../../model/values/json.ts";
import { applyEdits, positionIn, type FormatEdit } from "./edit.ts";
import { isMateria01, readMateria01 } from "./pi-materia-0-1.ts";

/** A form in which configurations were once written. */
interface Format {
  readonly name: string;
  readonly matches: (raw: JsonObject, isToday: IsToday) => boolean;
  /** What makes a file of today out of it, and what of it is not done. */
  readonly read: (raw: JsonObject) => { readonly edits: readonly FormatEdit[]; readonly issues: readonly Issue[] };
}

/** Whether a loadout is known to hold nothing but what is written today: thousands of sockets need not be searched again. */
export type IsToday = (loadout: unknown) => boolean;

/** One row per format; the first that matches reads the file. */
const FORMATS: readonly Format[] = [{ name: "pi-materia 0.1", matches: isMateria01, read: readMateria01 }];

interface FileReading {
  /** The file as it would be written today. */
  readonly value: unknown;
  readonly edits: readonly FormatEdit[];
  readonly issues: readonly Issue[];
  readonly positionOf: (path: Keys) => Keys;
}

/** [M1] A configuration in whichever known form it is written; one of today as it is. */
export function readFormat(raw: unknown, isToday: IsToday = () => false): FileReading {
  const format = isJsonObject(raw) ? FORMATS.find(({ matches }) => matches(raw, isToday)) : undefined;
  if (!format || !isJsonObject(raw)) return { value: raw, edits: [], issues: [], positionOf: (path) => path };
  const { edits, issues } = format.read(raw);
  const told = info("older_format", "", `reads as ${format.name}; "materia init --from" writes it in today's form`);
  return { value: applyEdits(raw, edits), edits, issues: [told, ...issues], positionOf: positionIn(edits) };
}
