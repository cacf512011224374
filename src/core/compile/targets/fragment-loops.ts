import type { IssueCode } from "../../model/issue-codes.ts";
import type { KeyPath } from "../../model/issue.ts";
import { withoutUndefined } from "../../model/json.ts";
import type { Loadout, Loop } from "../../model/loadout.ts";
import { END } from "../../model/ids.ts";
import { didYouMean } from "../../model/text.ts";
import { parseStatePath } from "../assignment.ts";
import type { GraphLoop } from "../graph.ts";

/** A function for a hint, which searches the nearest name, runs only if the hint is shown. */
export type ReportIssue = (
  keys: KeyPath,
  code: IssueCode,
  message: string,
  hint?: string | (() => string | undefined),
) => void;

/** [O1] A socket belongs to at most one loop. */
export function loopMemberships(loadout: Loadout, report: ReportIssue): ReadonlyMap<string, string> {
  const membership = new Map<string, string>();
  for (const [loopId, loop] of Object.entries(loadout.loops)) {
    loop.sockets.forEach((id, index) => {
      const keys = ["loops", loopId, "sockets", index];
      const other = membership.get(id);
      const message = `"${id}" already belongs to the loop "${other}"`;
      if (!Object.hasOwn(loadout.sockets, id)) reportUnknownSocket({ loadout, report }, keys, id);
      else if (other === undefined) membership.set(id, loopId);
      else if (other === loopId) report(keys, "repeated_member", `"${id}" is named twice`);
      else report(keys, "overlapping_loops", message, "a socket belongs to at most one loop");
    });
  }
  return membership;
}

export interface LoadoutBuildContext {
  readonly loadout: Loadout;
  readonly report: ReportIssue;
}

export function reportUnknownSocket(
  { loadout, report }: LoadoutBuildContext,
  keys: KeyPath,
  id: string,
  { subject = `"${id}" is`, others = [] }: { readonly subject?: string; readonly others?: readonly string[] } = {},
): void {
  const hint = () => didYouMean(id, [...Object.keys(loadout.sockets), ...others]);
  report(keys, "unknown_socket", `${subject} not a socket of this loadout`, hint);
}

export function buildLoop(
  id: string,
  loop: Loop,
  building: LoadoutBuildContext,
  place: Pick<GraphLoop["origin"], "name" | "file">,
): GraphLoop {
  const exists = (socket: string): boolean => Object.hasOwn(building.loadout.sockets, socket);
  const from = loop.consumes?.from ?? null;
  if (from !== null && !exists(from)) reportUnknownSocket(building, ["loops", id, "consumes", "from"], from);
  for (const index of loop.exits.keys()) checkExit(id, loop, index, building);
  return {
    id,
    sockets: loop.sockets.filter(exists),
    from: from !== null && exists(from) ? from : null,
    items: listPath(id, loop, building),
    exits: loop.exits.filter(({ targetSocketId: to }) => to === END || exists(to)),
    ...withoutUndefined({ parallel: loop.parallel }),
    origin: { ...place, loop: id },
  };
}

/** [O13] Exits belong to members, lead out, and no two have the same condition. */
function checkExit(id: string, loop: Loop, index: number, building: LoadoutBuildContext): void {
  const exit = loop.exits[index];
  if (!exit) return;
  const { loadout, report } = building;
  const { from, targetSocketId: to, condition } = exit;
  const keys = ["loops", id, "exits", index];
  const target = [...keys, "targetSocketId"];
  const earlier = loop.exits.slice(0, index);
  if (to !== END && !Object.hasOwn(loadout.sockets, to))
    reportUnknownSocket(building, target, to, { subject: `the exit leads to "${to}", which is`, others: [END] });
  if (earlier.some((other) => other.id === exit.id))
    report([...keys, "id"], "repeated_exit_id", `the exit id "${exit.id}" is used twice in the loop "${id}"`);
  if (!loop.sockets.includes(from)) {
    const hint = `use one of ${loop.sockets.slice(0, 8).join(", ")}`;
    report([...keys, "from"], "exit_not_from_member", `"${from}" is no member of the loop "${id}"`, hint);
  }
  if (to !== END && loop.sockets.includes(to)) {
    const message = `the exit leads back into its own loop, to "${to}"`;
    report(target, "exit_into_loop", message, "an exit leads to a socket outside the loop");
  }
  if (earlier.some((other) => other.from === from && other.condition === condition))
    report(keys, "repeated_exit", `"${from}" already has an exit for "${condition}"`);
}

/** [O12] A loop with `consumes` walks `state.workItems`; another one may name its list in `advance.items`. */
function listPath(id: string, loop: Loop, { loadout, report }: LoadoutBuildContext): readonly string[] | null {
  const advances = loop.sockets.some((socket) => loadout.sockets[socket]?.advance !== undefined);
  let path: readonly string[] | undefined;
  for (const socket of loop.sockets) {
    const items = loadout.sockets[socket]?.advance?.items;
    if (items === undefined) continue;
    const keys = ["sockets", socket, "advance", "items"];
    const read = parseStatePath(items.startsWith("state.") ? items.slice(6) : items);
    if (read === undefined) report(keys, "bad_path", `"${items}" is not a path into state`, "use state.workItems");
    else if (loop.consumes && read.join(".") !== "workItems") {
      const message = `the loop "${id}" consumes workItems, so its list is state.workItems, not "${items}"`;
      report(keys, "bad_path", message, "leave `items` out");
    } else if (path && path.join(".") !== read.join("."))
      report(keys, "bad_path", `the members of the loop "${id}" name different lists`);
    else path = read;
  }
  return path ?? (loop.consumes || advances ? ["workItems"] : null);
}
