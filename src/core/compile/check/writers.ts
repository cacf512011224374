import { bundledUtilityWrites } from "../../catalog/utilities.ts";
import { isGate } from "../../model/materia.ts";
import type { Materia } from "../../model/materia.ts";

/** What a user's own program reads or sets, nobody can know from outside. */
export function isOwnUtility(materia: Materia): boolean {
  return materia.type === "utility" && materia.command !== undefined;
}

export function bundledWrites(materia: Materia): readonly string[] {
  return materia.type === "utility" && materia.script !== undefined ? bundledUtilityWrites(materia.script) : [];
}

/** Whether a program may set this key of state. */
export function mayWriteAnything(materia: Materia, key: string): boolean {
  return (isOwnUtility(materia) && !isGate(materia)) || bundledWrites(materia).includes(key);
}
