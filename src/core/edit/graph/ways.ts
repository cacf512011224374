import type { Destination } from "../../model/ids.ts";
import type { Result } from "../../model/issue.ts";
import type { Condition, Edge, Exit, Loadout } from "../../model/loadout.ts";
import { edgeWayId, exitWayId, thenWayId } from "../../model/way-id.ts";
import { refuseEdit } from "./base.ts";
import { removeEdge, setEdge } from "./edges.ts";
import { removeExit, setExit } from "./exits.ts";

/** What an edge of the drawing stands for in the loadout; the silent ways to the end stand for nothing. */
export type AuthoredWay =
  | { readonly kind: "edge"; readonly from: string; readonly index: number; readonly edge: Edge }
  | { readonly kind: "exit"; readonly loop: string; readonly exit: Exit };

export function findAuthoredWay(loadout: Loadout, id: string): AuthoredWay | undefined {
  for (const [from, { edges }] of Object.entries(loadout.sockets)) {
    const index = edges.findIndex((_, each) => id === edgeWayId(from, each) || id === thenWayId(from, each));
    const edge = edges[index];
    if (edge) return { kind: "edge", from, index, edge };
  }
  for (const [loop, { exits }] of Object.entries(loadout.loops)) {
    const exit = exits.find((each) => id === exitWayId(loop, each.id));
    if (exit) return { kind: "exit", loop, exit };
  }
  return undefined;
}

export interface WayChange {
  readonly when?: Condition;
  readonly to?: Destination;
  readonly maxTraversals?: number | null;
}

/** [E7] An exit is changed in its loop, an edge in its socket. */
export function setWay(loadout: Loadout, id: string, changed: WayChange): Result<Loadout> {
  const way = findAuthoredWay(loadout, id);
  if (!way) return unknownWay(id);
  if (way.kind === "edge") return setEdge(loadout, way.from, way.index, changed);
  const { when, to } = changed;
  return setExit(loadout, way.loop, way.exit.id, {
    ...(when === undefined ? {} : { condition: when }),
    ...(to === undefined ? {} : { to }),
  });
}

export function removeWay(loadout: Loadout, id: string): Result<Loadout> {
  const way = findAuthoredWay(loadout, id);
  if (!way) return unknownWay(id);
  return way.kind === "edge" ? removeEdge(loadout, way.from, way.index) : removeExit(loadout, way.loop, way.exit.id);
}

function unknownWay(id: string): Result<never> {
  return refuseEdit(
    id,
    "nobody wrote this way",
    "it is taken where nothing else matches; add an edge or an exit instead",
  );
}
