/**
 * pi-materia for programs: load a project, start a cast, follow it, answer it, and read what happened. Every refusal is a
 * value with its issues. Everything exported here is stable: names and shapes change only with a new major version.
 */
export { checkProject, loadProject, readRehearsal, type Project, type ProjectOptions } from "./project.ts";
export {
  abortCast,
  answerCast,
  listCasts,
  readCast,
  resumeCast,
  startCast,
  watchCast,
  type CastAnswer,
  type CastHandle,
  type CastRecord,
  type FinishedCast,
  type CastRequest,
  type RaisedLimits,
} from "./casts.ts";

export type { CastEvent } from "../../core/cast/state/event.ts";
export type { CastStatus, CastSummary } from "../../core/cast/summary.ts";
export type { Issue, Result } from "../../core/model/issue.ts";
export type { Rehearsal } from "../../core/model/rehearsal.ts";
/** Answers turns in place of Pi: an agent is anything that does. */
export type { AgentHost, TurnOutcome, TurnRequest } from "../../shell/ports.ts";
