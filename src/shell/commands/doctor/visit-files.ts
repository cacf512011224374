import { isDeepStrictEqual } from "node:util";
import { MAX_KEPT_TEXT } from "../../../core/cast/decide.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { materiaOf, socketOf, type Graph } from "../../../core/compile/graph.ts";
import type { JsonObject } from "../../../core/model/values/json.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { assertNever } from "../../../core/model/values/never.ts";
import type { VisitFileName } from "../../../core/wire/casts.ts";
import { validPrefix } from "../../agents/transcript.ts";
import type { VisitRef } from "../../store/cast-store.ts";

/** What the lines of a journal say of one visit, as far as its files depend on it. */
export interface JournaledVisit extends VisitRef {
  readonly type: Materia["type"];
  /** An answer was written down: whatever it was made of was written before it. */
  readonly isAnswered: boolean;
  readonly isCompleted: boolean;
  readonly handoff?: JsonObject;
  /** The accepted text, where its line holds the whole of it. */
  readonly text?: string;
}

export type VisitRecords = Map<string, JournaledVisit>;

/** Adds what one more line says. */
export function recordVisitEvent(records: VisitRecords, graph: Graph, event: CastEvent): void {
  if (!("visit" in event)) return;
  const { socket, visit } = event;
  const key = `${socket} ${visit}`;
  const { type } = materiaOf(graph, socketOf(graph, socket));
  const before = records.get(key) ?? { socket, visit, type, isAnswered: false, isCompleted: false };
  records.set(key, { ...before, ...visitFacts(event, type) });
}

function visitFacts(event: CastEvent, type: Materia["type"]): Partial<JournaledVisit> {
  switch (event.type) {
    case "handoff_accepted":
      return { isAnswered: true, handoff: event.handoff };
    case "output_accepted":
      return { isAnswered: true, ...(event.chars <= MAX_KEPT_TEXT ? { text: event.text } : {}) };
    case "handoff_rejected":
    case "turn_answered":
      return { isAnswered: true };
    case "turn_failed":
      // An agent that failed may have said nothing; a program has its files either way.
      return { isAnswered: type === "utility" || event.reason === "state" };
    case "visit_completed":
      return { isCompleted: true };
    default:
      return {};
  }
}

/** A file that must be there. */
export interface ExpectedFile {
  readonly name: VisitFileName;
  readonly isSound: (text: string) => boolean;
  /** The part of a damaged one that can be used, and of a missing one what its line says that it held. */
  readonly recover?: (text: string | undefined) => string | undefined;
}

/** [J19, J20] The files of a visit that were written before its lines. */
export function expectedFiles(record: JournaledVisit): readonly ExpectedFile[] {
  const { handoff } = record;
  const accepted: readonly ExpectedFile[] = handoff === undefined ? [] : [handoffFile(handoff)];
  if (!record.isAnswered) return accepted;
  switch (record.type) {
    case "person":
      return accepted;
    case "utility":
      return [{ name: "input.json", isSound: isJson }, outputFile("stdout.txt", record), anyTextFile("stderr.txt"), ...accepted];
    case "agent":
      return [anyTextFile("prompt.md"), outputFile("output.md", record), transcriptFile(record), ...accepted];
    default:
      return assertNever(record.type);
  }
}

function anyTextFile(name: VisitFileName): ExpectedFile {
  return { name, isSound: () => true };
}

function outputFile(name: VisitFileName, { text: accepted }: JournaledVisit): ExpectedFile {
  if (accepted === undefined) return anyTextFile(name);
  return { name, isSound: (text) => text.trim() === accepted, recover: () => accepted };
}

function handoffFile(handoff: JsonObject): ExpectedFile {
  return {
    name: "handoff.json",
    isSound: (text) => isJson(text) && isDeepStrictEqual(JSON.parse(text), handoff),
    recover: () => `${JSON.stringify(handoff, undefined, 1)}\n`,
  };
}

function transcriptFile({ isCompleted }: JournaledVisit): ExpectedFile {
  return {
    name: "transcript.jsonl",
    isSound: (text) => {
      // A kill, or a turn that goes on, leaves a last line without its end: a resume takes up what is before it.
      const written = isCompleted ? text : text.slice(0, text.lastIndexOf("\n") + 1);
      return validPrefix(text).length >= written.length;
    },
    recover: (text) => {
      const sound = validPrefix(text ?? "");
      return sound === "" ? undefined : sound;
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
