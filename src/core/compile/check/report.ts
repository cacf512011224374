import { error, warning } from "../../model/issue.ts";
import type { Issue } from "../../model/issue.ts";
import type { Graph, GraphSocket, Origin } from "../graph.ts";
import { socketsOf } from "../graph.ts";

/** A problem placed in the user's own file, at a socket or below it. */
export function atSocket(socket: GraphSocket, below: string, issue: (path: string) => Issue): Issue {
  return placed(socket.origin, `${socket.origin.path}${below}`, issue);
}

/** A problem placed at a loop; its members say which file it stands in. */
export function atLoop(graph: Graph, loopId: string, below: string, issue: (path: string) => Issue): Issue {
  const member = socketsOf(graph).find((socket) => socket.loop === loopId);
  if (!member) return issue(`loops.${loopId}${below}`);
  const root = member.origin.path.slice(0, member.origin.path.lastIndexOf(".sockets"));
  // Linking puts `t<order>-` before a loop's own id.
  return placed(member.origin, `${root}.loops.${loopId.replace(/^t\d+-/, "")}${below}`, issue);
}

function placed(origin: Origin, path: string, issue: (path: string) => Issue): Issue {
  return origin.file === undefined ? issue(path) : { ...issue(path), file: origin.file };
}

export const faulty = (code: string, message: string, hint?: string) => (path: string) => error(code, path, message, hint);
export const doubtful = (code: string, message: string, hint?: string) => (path: string) => warning(code, path, message, hint);
