import type { IssueCode } from "../../model/issue-codes.ts";
import type { KeyPath } from "../../model/issue.ts";
import type { Exit, Loadout, Loop } from "../../model/loadout.ts";
import { END } from "../../model/ids.ts";
import { didYouMean } from "../../model/text.ts";
import { parseStatePath } from "../assignment.ts";
import type { GraphLoop } from "../graph.ts";

export type ReportIssue = (keys: KeyPath, code: IssueCode, message: string, hint?: LazyHint) => void;

/** A hint, or a function for one: the search for the nearest name runs only if it is shown. */
export type LazyHint = string | (() => string | undefined);

/** [O1] A socket belongs to at most one loop. */
export function loopMemberships(loadout: Loadout, report: ReportIssue): ReadonlyMap<string, string> {
  const membership = new Map<string, string>();
  for (const [loopId, loop] of Object.entries(loadout.loops)) {
    loop.sockets.forEach((id, index) => {
      const other = membership.get(id);
      if (!Object.hasOwn(loadout.sockets, id)) {
        report(["loops", loopId, "sockets", index], "unknown_socket", `"${id}" is not a socket of this loadout`, () =>
          didYouMean(id, Object.keys(loadout.sockets)),
        );
      } else if (other === undefined) membership.set(id, loopId);
      else if (other === loopId)
        report(["loops", loopId, "sockets", index], "repeated_member", `"${id}" is named twice`);
      else
        report(
          ["loops", loopId, "sockets", index],
          "overlapping_loops",
          `"${id}" already belongs to the loop "${other}"`,
          "a socket belongs to at most one loop",
        );
    });
  }
  return membership;
}

export interface LoadoutBuildContext {
  readonly loadout: Loadout;
  readonly report: ReportIssue;
  readonly name: string;
  readonly file?: string;
}

export function buildLoop(id: string, loop: Loop, building: LoadoutBuildContext): GraphLoop {
  const { loadout, report, name, file } = building;
  const exists = (socket: string): boolean => Object.hasOwn(loadout.sockets, socket);
  const from = loop.consumes?.from ?? null;
  if (from !== null && !exists(from)) {
    const hint = () => didYouMean(from, Object.keys(loadout.sockets));
    report(["loops", id, "consumes", "from"], "unknown_socket", `"${from}" is not a socket of this loadout`, hint);
  }
  for (const index of loop.exits.keys()) checkExit(id, loop, index, building);
  return {
    id,
    sockets: loop.sockets.filter(exists),
    from: from !== null && exists(from) ? from : null,
    items: listPath(id, loop, building),
    exits: loop.exits.filter(({ targetSocketId: to }) => to === END || exists(to)),
    ...(loop.parallel === undefined ? {} : { parallel: loop.parallel }),
    origin: file === undefined ? { name, loop: id } : { name, loop: id, file },
  };
}

const NO_EXITS: readonly Exit[] = [];

/** [O13] Exits belong to members, lead out, and no two have the same condition. */
function checkExit(id: string, loop: Loop, index: number, { loadout, report }: LoadoutBuildContext): void {
  const exit = loop.exits[index];
  if (!exit) return;
  const say = (key: string | null, code: IssueCode, message: string, hint?: LazyHint): void =>
    report(["loops", id, "exits", index, ...(key === null ? [] : [key])], code, message, hint);
  const { from, targetSocketId: to, condition } = exit;
  const earlier = index === 0 ? NO_EXITS : loop.exits.slice(0, index);
  if (to !== END && !Object.hasOwn(loadout.sockets, to)) {
    const hint = () => didYouMean(to, [...Object.keys(loadout.sockets), END]);
    say("targetSocketId", "unknown_socket", `the exit leads to "${to}", which is not a socket of this loadout`, hint);
  }
  if (earlier.some((other) => other.id === exit.id))
    say("id", "repeated_exit_id", `the exit id "${exit.id}" is used twice in the loop "${id}"`);
  if (!loop.sockets.includes(from))
    say(
      "from",
      "exit_not_from_member",
      `"${from}" is no member of the loop "${id}"`,
      `use one of ${loop.sockets.slice(0, 8).join(", ")}`,
    );
  if (to !== END && loop.sockets.includes(to)) {
    say(
      "targetSocketId",
      "exit_into_loop",
      `the exit leads back into its own loop, to "${to}"`,
      "an exit leads to a socket outside the loop",
    );
  }
  if (earlier.some((other) => other.from === from && other.condition === condition)) {
    say(null, "repeated_exit", `"${from}" already has an exit for "${condition}"`);
  }
}

/** [O12] A loop with `consumes` walks `state.workItems`; another one may name its list in `advance.items`. */
function listPath(id: string, loop: Loop, { loadout, report }: LoadoutBuildContext): readonly string[] | null {
  const named: { readonly socket: string; readonly items: string }[] = [];
  let advances = false;
  for (const socket of loop.sockets) {
    const advance = loadout.sockets[socket]?.advance;
    advances ||= advance !== undefined;
    if (advance?.items !== undefined) named.push({ socket, items: advance.items });
  }
  let path: readonly string[] | undefined;
  for (const { socket, items } of named) {
    const keys = ["sockets", socket, "advance", "items"];
    const read = parseStatePath(items.startsWith("state.") ? items.slice(6) : items);
    if (read === undefined) report(keys, "bad_path", `"${items}" is not a path into state`, "use state.workItems");
    else if (loop.consumes && read.join(".") !== "workItems") {
      report(
        keys,
        "bad_path",
        `the loop "${id}" consumes workItems, so its list is state.workItems, not "${items}"`,
        "leave `items` out",
      );
    } else if (path && path.join(".") !== read.join("."))
      report(keys, "bad_path", `the members of the loop "${id}" name different lists`);
    else path = read;
  }
  return path ?? (loop.consumes || advances ? ["workItems"] : null);
}
