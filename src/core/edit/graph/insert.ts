import { ok, type Result } from "../../model/issue.ts";
import type { Loadout } from "../../model/loadout.ts";
import { loopContaining, refuseEdit } from "./base.ts";
import { connectSockets } from "./edges.ts";
import { setLoopMember } from "./loops.ts";
import { addSocket, nextSocketId } from "./sockets.ts";
import { setWay, findAuthoredWay } from "./ways.ts";

/** [E28] A socket put into an edge: the edge leads to it, and it leads on to where the edge led. Inside a loop it is a member. */
export function insertSocketInWay(loadout: Loadout, way: string, materia: string): Result<Loadout> {
  const found = findAuthoredWay(loadout, way);
  if (!found) return refuseEdit(way, "nobody wrote this way", "add an edge first");
  const id = nextSocketId(loadout);
  const [from, to] = found.kind === "edge" ? [found.from, found.edge.to] : [found.exit.from, found.exit.targetSocketId];
  const added = addSocket(loadout, materia);
  const redirected = added.ok ? setWay(added.value, way, { to: id }) : added;
  const joined = redirected.ok ? connectSockets(redirected.value, { from: id, to, when: "always" }) : redirected;
  const loop = loopContaining(loadout, from);
  const isInside = found.kind === "edge" && loop !== undefined && to !== "end" && loopContaining(loadout, to) === loop;
  return joined.ok && isInside ? setLoopMember(joined.value, loop, id, true) : joined.ok ? ok(joined.value) : joined;
}
