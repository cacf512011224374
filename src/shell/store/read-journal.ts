import { apply } from "../../core/cast/apply.ts";
import { parseEvent } from "../../core/cast/event.ts";
import type { CastEvent } from "../../core/cast/event.ts";
import { startState } from "../../core/cast/state.ts";
import type { CastStart, CastState } from "../../core/cast/state.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { problemText } from "../system/problem.ts";
import { MOST_BYTES, readRegular } from "../system/regular-file.ts";

/** A journal as it was found: its sound events, and how much of a torn last line follows them. */
export interface ReadJournal {
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  /** Bytes up to the end of the last whole line; a resume cuts the file there. */
  readonly soundBytes: number;
  readonly tornBytes: number;
}

/** [J1] The state is the fold of the events. Damage is reported with its line, and nothing is guessed. */
export function readJournal(file: string, start: CastStart): Result<ReadJournal> {
  let bytes: Buffer;
  try {
    bytes = readRegular(file, MOST_BYTES.journal);
  } catch (thrown) {
    return fail({ ...error("no_journal", "", `the journal cannot be read: ${problemText(thrown)}`), file });
  }
  // Only a write that was cut off leaves a last line without its end.
  const soundBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, soundBytes).toString("utf8").split("\n").slice(0, -1);
  const events: CastEvent[] = [];
  let state = startState(start);
  for (const [index, line] of lines.entries()) {
    const event = parseLine(line, start);
    if (typeof event === "string") return fail(damage(file, index + 1, event));
    const next = applied(state, event);
    if (typeof next === "string") return fail(damage(file, index + 1, next));
    events.push(event);
    state = next;
  }
  return ok({ events, state, soundBytes, tornBytes: bytes.length - soundBytes });
}

function damage(file: string, line: number, why: string): Issue {
  const hint = "nothing was changed; restore the file from a copy, or start a new cast";
  return { ...error("damaged_journal", `line ${line}`, `line ${line} of the journal is damaged: ${why}`, hint), file };
}

function parseLine(line: string, { graph }: CastStart): CastEvent | string {
  try {
    return parseEvent(JSON.parse(line), () => graph);
  } catch {
    return "it is not JSON";
  }
}

function applied(state: CastState, event: CastEvent): CastState | string {
  try {
    return apply(state, event);
  } catch (thrown) {
    return problemText(thrown);
  }
}
