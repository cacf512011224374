import type { Materia } from "../model/materia.ts";
import { cut, cutStart } from "../model/text.ts";
import type { CastState } from "./state.ts";

const REASON_LIMIT = 900;
const ALL_LIMIT = 2_400;
const KEPT = 3;

/** [R1] Why a visit is done again, in the words that were handed on; a command says what matters at its end. */
export function reasonOf(handed: string, materia: Materia): string {
  return materia.type === "utility" && materia.gate === true
    ? cutStart(handed.trim(), REASON_LIMIT)
    : cut(handed.trim(), REASON_LIMIT);
}

/** The beginning of an output that gave no reason of its own. */
export function excerptOf(output: string): string {
  return cut(output.trim(), REASON_LIMIT);
}

/** [R3] The newest reason first, with up to two before it. */
export function remember(reasons: readonly string[], reason: string): readonly string[] {
  return [reason, ...reasons].slice(0, KEPT);
}

/** The reasons that wait for a socket. Its id may be a word that every object seems to have. */
export function reasonsFor({ rework }: Pick<CastState, "rework">, id: string): readonly string[] {
  return Object.hasOwn(rework, id) ? (rework[id] ?? []) : [];
}

/** What is shown of them: the newest whole, the others as far as there is room. */
export function shownReasons(reasons: readonly string[]): readonly string[] {
  let room = ALL_LIMIT;
  return reasons.flatMap((reason) => {
    if (room < 100) return [];
    const shown = cut(reason, room - 60);
    room -= shown.length;
    return [shown];
  });
}
