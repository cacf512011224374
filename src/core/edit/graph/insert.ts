import { ok, type Result } from "../../model/issue.ts";
import type { Loadout } from "../../model/loadout.ts";
import { loopWith, refuseEdit } from "./base.ts";
import { connect } from "./edges.ts";
import { setMember } from "./loops.ts";
import { addSocket, nextSocketId } from "./sockets.ts";
import { setWay, wayOf } from "./ways.ts";

/** [E28] A socket put into an edge: the edge leads to it, and it leads on to where the edge led. Inside a loop it is a member. */
export function insertInWay(loadout: Loadout, way: string, materia: string): Result<Loadout> {
  const found = wayOf(loadout, way);
  if (!found) return refuseEdit(way, "nobody wrote this way", "add an edge first");
  const id = nextSocketId(loadout);
  const [from, to] = found.kind === "edge" ? [found.from, found.edge.to] : [found.exit.from, found.exit.targetSocketId];
  const added = addSocket(loadout, materia);
  const redirected = added.ok ? setWay(added.value, way, { to: id }) : added;
  const joined = redirected.ok ? connect(redirected.value, { from: id, to, when: "always" }) : redirected;
  const loop = loopWith(loadout, from);
  const isInside = found.kind === "edge" && loop !== undefined && to !== "end" && loopWith(loadout, to) === loop;
  return joined.ok && isInside ? setMember(joined.value, loop, id, true) : joined.ok ? ok(joined.value) : joined;
}
