import { materiaOf, socketOf, type Way } from "../compile/graph.ts";
import type { Checkpoint, MissingCheckpoint } from "../model/checkpoint.ts";
import { maxUnchangedOf } from "../model/config.ts";
import { END, type SocketId } from "../model/ids.ts";
import { materiaMayWrite } from "../model/materia.ts";
import type { EventOf } from "./state/event.ts";
import { getValue, withValue } from "./state/persistent-map.ts";
import type { CastState, Visit } from "./state/state.ts";
import { itemIndexAt, traversalCount, traversalScopeOf, type TraversalScope } from "./state/traversal-counts.ts";

/** [R9] Counts only where checkpoints are kept and the materia may write. A visit that changed nothing reports no files. */
export function unchangedAfterVisit(
  state: CastState,
  { socket, reworked }: Visit,
  files: Checkpoint | MissingCheckpoint | undefined,
): CastState["counts"] {
  const { counts } = state;
  if (state.files === null || !materiaMayWrite(materiaOf(state.graph, socketOf(state.graph, socket)))) return counts;
  const place = itemIndexAt(state, socket);
  const known = getValue(counts.unchanged, socket);
  // The first visit for an item was not sent back, even if the item before was refused.
  const isUnchanged = files === undefined || ("commit" in files && files.changed === 0);
  const isIdle = reworked && known?.place === place && isUnchanged;
  const visits = isIdle ? known.visits + 1 : 0;
  if (known?.place === place && known.visits === visits) return counts;
  return { ...counts, unchanged: withValue(counts.unchanged, socket, { place, visits }) };
}

type UnchangedLimit = Pick<EventOf<"limit_reached">, "value" | "where">;

/** [R9] Whether work is sent back once more that the last visits did not change. */
export function unchangedLimit(state: CastState, from: SocketId, way: Way): UnchangedLimit | undefined {
  if (way.via !== "edge" || way.edge.when !== "not_satisfied" || way.to === END) return undefined;
  const { to, via, index } = way;
  const known = getValue(state.counts.unchanged, to);
  const most = maxUnchangedOf(state.limits);
  if (most === 0 || known?.place !== itemIndexAt(state, to)) return undefined;
  if (known.visits < most + traversalCount(state, "allowed", unchangedScope(state, from, way))) return undefined;
  return { value: most, where: { socket: from, to, via, index, when: way.edge.when, taken: known.visits } };
}

/** The allowance that a person raises. */
export function unchangedScope(state: CastState, from: SocketId, way: Way): TraversalScope {
  return { ...traversalScopeOf(state, from, way), way: `unchanged ${way.to}` };
}
