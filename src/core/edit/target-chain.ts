import type { Catalog } from "../catalog/catalog.ts";
import type { CastCommand, LinkCommand, TargetRef } from "../command/command.ts";
import { checkTarget, compileTargets, type CompiledChain, resolveTargets } from "../compile/targets/compile.ts";
import { buildFlow } from "../compile/flow.ts";
import { socketOf, type Graph } from "../compile/graph.ts";
import { renumberSockets } from "../compile/targets/stitch.ts";
import { END, sortSocketIds } from "../model/ids.ts";
import type { Issue } from "../model/issue.ts";

export interface TargetChain {
  readonly targets: readonly TargetRef[];
  /** A past cast whose context it continues. */
  readonly from: string | null;
  readonly request: string;
}

/** The command that casts a chain: a single loadout is cast, anything else linked. */
export function chainCommand({ targets, from, request }: TargetChain): CastCommand | LinkCommand {
  const [only, ...others] = targets;
  if (only?.kind === "loadout" && others.length === 0 && from === null)
    return { kind: "cast", prompt: request, loadout: only.name };
  return { kind: "link", targets, prompt: request, ...(from === null ? {} : { from }) };
}

/** The joint between two targets: one end and one entry, or why they do not fit. */
export interface ChainJoint {
  readonly ends: readonly string[];
  readonly entry: string;
  /** Whether the end follows the last item of a loop. */
  readonly byLoop: boolean;
}

export type ChainResult =
  | { readonly kind: "empty" }
  | { readonly kind: "composed"; readonly compiled: CompiledChain; readonly joints: readonly ChainJoint[] }
  | {
      readonly kind: "refused";
      readonly issues: readonly Issue[];
      /** The parts that can be drawn; null if one is unknown. */
      readonly parts: Graph | null;
      readonly joints: readonly ChainJoint[];
    };

/** [E18] The chain as one graph with its stitches, or its issues with the open ends. */
export function composeChain({ targets }: Pick<TargetChain, "targets">, catalog: Catalog): ChainResult {
  if (targets.length === 0) return { kind: "empty" };
  const parts = chainParts(targets, catalog);
  const joints = parts ? chainJoints(parts) : [];
  const compiled = compileTargets(targets, catalog);
  if (compiled.ok) return { kind: "composed", compiled: compiled.value, joints };
  return { kind: "refused", issues: compiled.issues, parts: parts && unjoinedGraph(parts, joints), joints };
}

function chainParts(targets: readonly TargetRef[], catalog: Catalog): readonly Graph[] | null {
  const resolved = resolveTargets(targets, catalog);
  if (!resolved.ok) return null;
  const graphs = resolved.value.map((target, index) => checkTarget(target, catalog, index + 1).graph);
  return graphs.every((graph) => Object.hasOwn(graph.sockets, graph.entry)) ? renumberSockets(graphs) : null;
}

function chainJoints(parts: readonly Graph[]): readonly ChainJoint[] {
  return parts.slice(0, -1).map((graph, index) => {
    const flow = buildFlow(graph);
    const endings = [...flow.reached].map((number) => ({
      id: flow.sockets[number]?.id ?? "",
      steps: (flow.steps[number] ?? []).filter(({ way }) => way.to === END),
    }));
    const ends = endings.filter(({ steps }) => steps.length > 0);
    return {
      ends: sortSocketIds(ends.map(({ id }) => id)),
      entry: parts[index + 1]?.entry ?? "",
      byLoop: ends.some(({ steps }) => steps.some(({ exhausted }) => exhausted)),
    };
  });
}

/** The complete parts up to the first open joint, then the unreached entry. */
function unjoinedGraph(parts: readonly Graph[], joints: readonly ChainJoint[]): Graph | null {
  const [first] = parts;
  if (!first) return null;
  const open = joints.findIndex(({ ends }) => ends.length !== 1);
  const shown = parts.map((part, index) => (open !== -1 && index > open ? entryOnly(part) : part));
  return {
    name: parts.map(({ name }) => name).join(" → "),
    entry: first.entry,
    sockets: Object.assign({}, ...shown.map((part) => part.sockets)),
    loops: Object.assign({}, ...shown.map((part) => part.loops)),
    materia: Object.assign({}, ...shown.map((part) => part.materia)),
  };
}

function entryOnly(part: Graph): Graph {
  const entry = socketOf(part, part.entry);
  return { ...part, sockets: { [entry.id]: { ...entry, edges: [], loop: null } }, loops: {} };
}
