import type { Edge, Loadout } from "../model/loadout.ts";
import { conditionText } from "../view/graph/labels.ts";
import { socketToJson } from "./loadout-draft.ts";
import { isSameJson } from "../model/json.ts";

/** One difference between two loadouts. */
export interface LoadoutChange {
  readonly kind: "added" | "removed" | "changed";
  readonly what: "socket" | "edge" | "loop" | "exit" | "loadout";
  /** The socket or loop; empty for the loadout itself. */
  readonly at: string;
  readonly text: string;
}

/** [E17] The differences between two loadouts, without positions on the canvas. */
export function compareLoadouts(before: Loadout, after: Loadout): readonly LoadoutChange[] {
  return [
    ...(before.entry === after.entry
      ? []
      : [createChange("changed", "loadout", "", `entry ${before.entry} → ${after.entry}`)]),
    ...((before.description ?? "") === (after.description ?? "")
      ? []
      : [createChange("changed", "loadout", "", "description")]),
    ...socketChanges(before, after),
    ...loopChanges(before, after),
  ];
}

function createChange(
  kind: LoadoutChange["kind"],
  what: LoadoutChange["what"],
  at: string,
  text: string,
): LoadoutChange {
  return { kind, what, at, text };
}

function allKeys(a: object, b: object): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function socketChanges(before: Loadout, after: Loadout): readonly LoadoutChange[] {
  return allKeys(before.sockets, after.sockets).flatMap((id): readonly LoadoutChange[] => {
    const [old, now] = [before.sockets[id], after.sockets[id]];
    if (!old && now)
      return [createChange("added", "socket", id, `${id} ${now.materia}`), ...edgeChanges(id, [], now.edges)];
    if (old && !now)
      return [createChange("removed", "socket", id, `${id} ${old.materia}`), ...edgeChanges(id, old.edges, [])];
    if (!old || !now) return [];
    const fields = (["materia", "parse", "assign", "advance"] as const).flatMap((field) => {
      const [was, is] = [socketToJson(old)[field], socketToJson(now)[field]];
      return isSameJson(was, is) ? [] : [`${field} ${valueText(was)} → ${valueText(is)}`];
    });
    const own = fields.map((text) => createChange("changed", "socket", id, `${id} ${text}`));
    return [...own, ...edgeChanges(id, old.edges, now.edges)];
  });
}

function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Pairs edges by condition and target, the rest by condition, then by target. */
function edgeChanges(at: string, before: readonly Edge[], after: readonly Edge[]): readonly LoadoutChange[] {
  const left = [...after];
  const take = (fits: (edge: Edge) => boolean): Edge | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  const exact = before.map((edge) => take((other) => other.when === edge.when && other.to === edge.to));
  const pairs = before.map((edge, index) => ({
    edge,
    now: exact[index] ?? take(({ when }) => when === edge.when) ?? take(({ to }) => to === edge.to),
  }));
  const changes = pairs.flatMap(({ edge, now }): readonly LoadoutChange[] => {
    if (!now) return [createChange("removed", "edge", at, edgeText(at, edge))];
    return isSameJson({ ...edge }, { ...now })
      ? []
      : [createChange("changed", "edge", at, `${edgeText(at, edge)} → ${edgeTargetText(now)}`)];
  });
  const order = isReordered(before, after) ? [createChange("changed", "edge", at, `${at} edges in another order`)] : [];
  return [...changes, ...left.map((edge) => createChange("added", "edge", at, edgeText(at, edge))), ...order];
}

function isReordered(before: readonly Edge[], after: readonly Edge[]): boolean {
  const [a, b] = [before, after].map((edges) => edges.map((edge) => JSON.stringify(edge)));
  if (!a || !b) return false;
  return a.length === b.length && a.join() !== b.join() && a.toSorted().join() === b.toSorted().join();
}

function edgeText(from: string, edge: Edge): string {
  return `${from} ${edgeTargetText(edge)}`;
}

function edgeTargetText({ when, to, maxTraversals, then }: Edge): string {
  const limit = maxTraversals === undefined ? "" : `, up to ${maxTraversals}`;
  return `${conditionText(when)} → ${to}${limit}${then === undefined ? "" : `, then ${then}`}`;
}

function loopChanges(before: Loadout, after: Loadout): readonly LoadoutChange[] {
  return allKeys(before.loops, after.loops).flatMap((id): readonly LoadoutChange[] => {
    const [old, now] = [before.loops[id], after.loops[id]];
    if (!old && now)
      return [
        createChange("added", "loop", id, `loop ${id}: ${now.sockets.join(", ")}`),
        ...exitChanges(id, [], now.exits),
      ];
    if (old && !now) return [createChange("removed", "loop", id, `loop ${id}`), ...exitChanges(id, old.exits, [])];
    if (!old || !now) return [];
    const members = isSameJson(old.sockets, now.sockets)
      ? []
      : [`members ${old.sockets.join(", ")} → ${now.sockets.join(", ")}`];
    const list =
      old.consumes?.from === now.consumes?.from
        ? []
        : [`consumes ${old.consumes?.from ?? "nothing"} → ${now.consumes?.from ?? "nothing"}`];
    const label = old.label === now.label ? [] : [`label ${old.label ?? "none"} → ${now.label ?? "none"}`];
    const own = [...members, ...list, ...label].map((text) =>
      createChange("changed", "loop", id, `loop ${id} ${text}`),
    );
    return [...own, ...exitChanges(id, old.exits, now.exits)];
  });
}

type Exits = Loadout["loops"][string]["exits"];

function exitChanges(loop: string, before: Exits, after: Exits): readonly LoadoutChange[] {
  const text = (exit: Exits[number]): string =>
    `exit of ${loop}: ${exit.from} ${conditionText(exit.condition)} → ${exit.targetSocketId}`;
  const ids = [...new Set([...before, ...after].map((exit) => exit.id))];
  return ids.flatMap((id): readonly LoadoutChange[] => {
    const [old, now] = [before.find((exit) => exit.id === id), after.find((exit) => exit.id === id)];
    if (!old && now) return [createChange("added", "exit", loop, text(now))];
    if (old && !now) return [createChange("removed", "exit", loop, text(old))];
    return old && now && text(old) !== text(now)
      ? [createChange("changed", "exit", loop, `${text(old)}, now ${text(now)}`)]
      : [];
  });
}
