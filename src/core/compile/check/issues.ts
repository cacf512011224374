import { error, warning, type Issue, type KeyPath } from "../../model/issue.ts";
import type { IssueCode } from "../../model/issue-codes.ts";
import type { GraphLoop, GraphSocket } from "../graph.ts";

/** Most positions share this list. */
export const NO_ISSUES: readonly Issue[] = [];

type PartOfGraph = Pick<GraphSocket, "origin"> | Pick<GraphLoop, "origin">;

/** A problem of a socket or a loop, with its position in the user's file. */
export function errorAt(part: PartOfGraph, below: KeyPath, code: IssueCode, message: string, hint?: string): Issue {
  return withFileOf(part, error(code, pathOf(part, below), message, hint));
}

export function warningAt(part: PartOfGraph, below: KeyPath, code: IssueCode, message: string, hint?: string): Issue {
  return withFileOf(part, warning(code, pathOf(part, below), message, hint));
}

function pathOf({ origin }: PartOfGraph, below: KeyPath): KeyPath {
  if ("loop" in origin) return ["loadouts", origin.name, "loops", origin.loop, ...below];
  const { kind, name, socket } = origin;
  return kind === "materia" ? ["materia", name, ...below] : ["loadouts", name, "sockets", socket, ...below];
}

function withFileOf({ origin: { file } }: PartOfGraph, issue: Issue): Issue {
  return file === undefined ? issue : { ...issue, file };
}
