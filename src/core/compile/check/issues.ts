import { error, warning, type Issue, type KeyPath } from "../../model/issue.ts";
import type { IssueCode } from "../../model/issue-codes.ts";
import type { GraphLoop, GraphSocket } from "../graph.ts";

/** Most positions share this list. */
export const NO_ISSUES: readonly Issue[] = [];

/** A problem at a socket, with its position in the user's file. */
export function issueAtSocket({ origin }: GraphSocket, below: KeyPath, issue: IssueAtPath): Issue {
  const { kind, name, socket } = origin;
  return issueAt(
    origin,
    kind === "materia" ? ["materia", name, ...below] : ["loadouts", name, "sockets", socket, ...below],
    issue,
  );
}

/** A problem at a loop, with its position in the user's file. */
export function issueAtLoop({ origin }: GraphLoop, below: KeyPath, issue: IssueAtPath): Issue {
  return issueAt(origin, ["loadouts", origin.name, "loops", origin.loop, ...below], issue);
}

type IssueAtPath = (path: KeyPath) => Issue;

function issueAt({ file }: { readonly file?: string }, path: KeyPath, issue: IssueAtPath): Issue {
  return file === undefined ? issue(path) : { ...issue(path), file };
}

export const errorWith =
  (code: IssueCode, message: string, hint?: string): IssueAtPath =>
  (path) =>
    error(code, path, message, hint);
export const warningWith =
  (code: IssueCode, message: string, hint?: string): IssueAtPath =>
  (path) =>
    warning(code, path, message, hint);
