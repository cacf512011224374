import { error, warning, type Issue, type Keys } from "../../model/issue.ts";
import type { IssueCode } from "../../model/issue-codes.ts";
import type { GraphLoop, GraphSocket } from "../graph.ts";

/** What nearly every place has: one list for all of them. */
export const NONE: readonly Issue[] = [];

export function note(found: readonly Issue[], issues: Issue[]): void {
  if (found !== NONE) for (const issue of found) issues.push(issue);
}

/** A problem placed in the user's own file, at a socket or below it. */
export function atSocket({ origin }: GraphSocket, below: Keys, issue: Placed): Issue {
  const { kind, name, socket } = origin;
  return placed(
    origin,
    kind === "materia" ? ["materia", name, ...below] : ["loadouts", name, "sockets", socket, ...below],
    issue,
  );
}

/** A problem placed at a loop, or below it. */
export function atLoop({ origin }: GraphLoop, below: Keys, issue: Placed): Issue {
  return placed(origin, ["loadouts", origin.name, "loops", origin.loop, ...below], issue);
}

type Placed = (path: Keys) => Issue;

function placed({ file }: { readonly file?: string }, path: Keys, issue: Placed): Issue {
  return file === undefined ? issue(path) : { ...issue(path), file };
}

export const faulty =
  (code: IssueCode, message: string, hint?: string): Placed =>
  (path) =>
    error(code, path, message, hint);
export const doubtful =
  (code: IssueCode, message: string, hint?: string): Placed =>
  (path) =>
    warning(code, path, message, hint);
