import { error, warning } from "../../model/issue.ts";
import type { Issue } from "../../model/issue.ts";
import type { GraphLoop, GraphSocket } from "../graph.ts";

/** A problem placed in the user's own file, at a socket or below it. */
export function atSocket(socket: GraphSocket, below: string, issue: (path: string) => Issue): Issue {
  return placed(socket.origin, `${socket.origin.path}${below}`, issue);
}

/** A problem placed at a loop, or below it. */
export function atLoop({ origin }: GraphLoop, below: string, issue: (path: string) => Issue): Issue {
  return placed(origin, `${origin.path}${below}`, issue);
}

function placed(origin: { readonly file?: string }, path: string, issue: (path: string) => Issue): Issue {
  return origin.file === undefined ? issue(path) : { ...issue(path), file: origin.file };
}

export const faulty = (code: string, message: string, hint?: string) => (path: string) =>
  error(code, path, message, hint);
export const doubtful = (code: string, message: string, hint?: string) => (path: string) =>
  warning(code, path, message, hint);
