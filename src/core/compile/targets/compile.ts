import type { Catalog } from "../../catalog/catalog.ts";
import { type TargetRef, targetText } from "../../command/command.ts";
import type { SocketId } from "../../model/ids.ts";
import {
  failAll,
  isError,
  ok,
  type Issue,
  type Result,
  type KeyPath,
  error,
  failWith,
  collectResults,
  fail,
} from "../../model/issue.ts";
import type { Layout, Loadout } from "../../model/loadout.ts";
import { type StateUse, stateUsedInCatalog, checkStateUse } from "../check/state-use.ts";
import { buildFlow, type Flow } from "../flow.ts";
import { buildFragment, type ResolvedTarget } from "./fragment.ts";
import { type Graph, socketLabel, socketOf, socketsOf } from "../graph.ts";
import { renumberSockets, stitchParts, type Stitch } from "./stitch.ts";
import { checkLists } from "../check/lists.ts";
import { checkLoops, checkParallel } from "../check/loops.ts";
import { checkCycles, checkReachability } from "../check/cycles.ts";
import { checkSockets, checkThen } from "../check/sockets.ts";
import type { CatalogEntry } from "../../catalog/layer.ts";
import { didYouMean, oneLine } from "../../model/text.ts";
import { worstCase, type WorstCase } from "../worst-case.ts";

export function resolveTargets(refs: readonly TargetRef[], catalog: Catalog): Result<readonly ResolvedTarget[]> {
  return collectResults(refs.map((ref) => resolveTarget(ref, catalog)));
}

function resolveTarget(ref: TargetRef, catalog: Catalog): Result<ResolvedTarget> {
  const { kind, name } = ref;
  const materia = kind === "loadout" ? undefined : catalog.materia.get(name);
  const loadout = kind === "materia" ? undefined : catalog.loadouts.get(name);
  if (materia && loadout) {
    const hint = `write materia:${name} or loadout:${name}`;
    return failWith("ambiguous_target", name, `"${name}" is both a materia and a loadout`, hint);
  }
  if (materia) {
    return materia.value === undefined
      ? failAll(materia.issues.filter(isError))
      : ok({ kind: "materia", name, entry: materia });
  }
  if (loadout) return ok({ kind: "loadout", name, entry: loadout });
  return fail(unknownTargetIssue(ref, catalog));
}

function unknownTargetIssue(ref: TargetRef, catalog: Catalog): Issue {
  const shown = oneLine(targetText(ref), 80);
  const prefix = /^([A-Za-z]+):/.exec(ref.name)?.[1];
  if (ref.kind === "either" && prefix !== undefined) {
    return error("unknown_prefix", shown, `"${prefix}:" is not a kind of target`, "use materia:NAME or loadout:NAME");
  }
  const materia = ref.kind === "loadout" ? [] : catalog.materia.keys();
  const loadouts = ref.kind === "materia" ? [] : catalog.loadouts.keys();
  const what = ref.kind === "either" ? "materia or loadout" : ref.kind;
  const hint =
    otherKindHint(ref, catalog) ??
    didYouMean(ref.name, [...materia, ...loadouts]) ??
    `"materia materia" and "materia loadout" list all names`;
  return error("unknown_target", shown, `there is no ${what} named "${oneLine(ref.name, 80)}"`, hint);
}

function otherKindHint({ kind, name }: TargetRef, catalog: Catalog): string | undefined {
  if (kind === "loadout" && catalog.materia.has(name)) return `"${name}" is a materia: link it as materia:${name}`;
  if (kind === "materia" && catalog.loadouts.has(name)) return `"${name}" is a loadout: link it as loadout:${name}`;
  return undefined;
}

export interface CompiledChain {
  /** The id of the virtual loadout. The same command and configuration give the same id. */
  readonly id: string;
  readonly graph: Graph;
  readonly flow: Flow;
  readonly targets: readonly ResolvedTarget[];
  readonly stitches: readonly Stitch[];
  readonly warnings: readonly Issue[];
}

export function compileTargets(refs: readonly TargetRef[], catalog: Catalog): Result<CompiledChain> {
  const targets = resolveTargets(refs, catalog);
  if (!targets.ok) return targets;
  const checked = targets.value.map((target, index) => checkTarget(target, catalog, index + 1));
  const issues = checked.flatMap((each) => each.issues);
  const errors = issues.filter((issue) => isError(issue) && !(refs.length > 1 && mayOtherPartResolve(issue)));
  if (errors.length > 0) return failAll(errors);
  const id = refs.map(targetText).join(" → ");
  const [only, ...others] = checked;
  if (only?.flow && others.length === 0)
    return ok({ id, graph: only.graph, flow: only.flow, targets: targets.value, stitches: [], warnings: issues });
  const graphs = renumberSockets(checked.map((each) => each.graph));
  const stitched = stitchParts(
    graphs.map((graph, index) => ({ graph, flow: checked[index]?.flow ?? buildFlow(graph) })),
  );
  if (!stitched.ok) return stitched;
  const { graph, stitches } = stitched.value;
  const flow = buildFlow(graph);
  const found = checkGraph(graph, flow, NO_STATE_USE);
  const whole = stitchIssues(found, graph, stitches);
  if (whole.length > 0) return failAll(whole);
  const warnings = [...issues.filter((issue) => !mayOtherPartResolve(issue)), ...found.filter(mayOtherPartResolve)];
  return ok({ id, graph, flow, targets: targets.value, stitches, warnings });
}

/** Another part of the chain may supply what a part lacks. */
function mayOtherPartResolve({ code }: Issue): boolean {
  return code === "state_never_set" || code === "state_never_read" || code === "list_never_produced";
}

const NO_STATE_USE = (): StateUse => ({ sets: new Set(), reads: new Set() });

/** One target alone, with all its problems. The flow exists if all references are valid. */
export function checkTarget(target: ResolvedTarget, catalog: Catalog, order: number) {
  const { graph, issues } = buildFragment(target, catalog, order);
  const faults = target.kind === "loadout" ? target.entry.issues : [];
  const placed = (issue: Issue): Issue => withAuthoredPath(issue, target);
  const named = [...faults, ...withoutFollowUpIssues(faults, issues).map(placed)];
  const flow = buildFlow(graph);
  const found = checkGraph(graph, flow, () => stateUsedInCatalog(catalog));
  // Most warnings about a graph with a broken reference only repeat that reference.
  const doubted = named.some(isError) ? found.filter(isError) : found;
  return { graph, issues: [...named, ...withoutFollowUpIssues(faults, doubted).map(placed)], flow };
}

/** [M2] A problem of a graph gets the path that its author wrote. */
function withAuthoredPath(issue: Issue, { entry }: ResolvedTarget): Issue {
  return entry.positionOf && issue.file === entry.file ? { ...issue, path: entry.positionOf(issue.path) } : issue;
}

/** [L19] Each part is valid alone, so an error of the whole belongs to a joint. */
function stitchIssues(issues: readonly Issue[], graph: Graph, stitches: readonly Stitch[]): readonly Issue[] {
  const label = (id: SocketId): string => {
    const socket = socketOf(graph, id);
    return `${socketLabel(socket)} of "${socket.origin.name}"`;
  };
  const joints = stitches.map((stitch) => `${label(stitch.from)} → ${label(stitch.to)}`).join(", ");
  return issues.filter(isError).map((issue) => ({
    ...issue,
    code: "incompatible_link",
    message: `joined at ${joints}, the parts do not fit together: ${issue.message}`,
  }));
}

/** [W39] The authors' positions of the sockets, in the coordinates of each loadout. */
export function authoredLayout({ targets, graph }: Pick<CompiledChain, "targets" | "graph">): Layout {
  return Object.fromEntries(
    socketsOf(graph).flatMap(({ id, origin }) => {
      const target = targets[origin.target - 1];
      const layout = target?.kind === "loadout" ? (target.entry.value?.layout ?? {}) : {};
      const place = Object.hasOwn(layout, origin.socket) ? layout[origin.socket] : undefined;
      return place ? [[id, place]] : [];
    }),
  );
}

export function socketOrigins(graph: Graph) {
  return socketsOf(graph).map(({ id, origin: { target, name, socket: source } }) => ({
    socket: id,
    target,
    name,
    source,
  }));
}

function checkGraph(graph: Graph, flow: Flow, elsewhere: () => StateUse): readonly Issue[] {
  return [
    ...checkSockets(graph, flow),
    ...checkThen(graph, flow),
    ...checkLoops(graph, flow),
    ...checkLists(graph, flow),
    ...checkParallel(graph, flow),
    ...checkReachability(flow),
    ...checkCycles(graph, flow),
    ...checkStateUse(graph, flow, elsewhere),
  ];
}

const KEYS_WITHOUT_EFFECT: readonly (string | number)[] = ["maxTraversals", "description", "label", "cursor"];

/** [G16] One invalid value hides no other problem. Those that only repeat it or depend on it are left out. */
function withoutFollowUpIssues(faults: readonly Issue[], found: readonly Issue[]): readonly Issue[] {
  const broken = faults.filter(isError).map(({ path }) => path);
  if (broken.length === 0) return found;
  const damaged = broken.filter(affectsStructure).map((path) => path.slice(0, 4));
  const assigns = broken.some(isAssignPath);
  const canBeJudged = ({ path, code }: Issue): boolean =>
    (damaged.length === 0 && !(assigns && code === "list_never_produced")) ||
    NAME_ISSUE_CODES.includes(code) ||
    // Checks across sockets need every socket to be readable.
    (path[2] === "sockets" && !damaged.some((part) => isWithin(path, part)));
  return found.filter(
    (issue) => isError(issue) && !broken.some((path) => isWithin(issue.path, path)) && canBeJudged(issue),
  );
}

/** Names are valid or not, independently of other problems. */
const NAME_ISSUE_CODES: readonly Issue["code"][] = ["unknown_socket", "unknown_materia", "invalid_materia"];

function affectsStructure(path: KeyPath): boolean {
  return path[2] !== "layout" && !isAssignPath(path) && !KEYS_WITHOUT_EFFECT.includes(path.at(-1) ?? "");
}

/** An assignment may make a list, and changes nothing else about where a cast goes. */
function isAssignPath(path: KeyPath): boolean {
  return path[4] === "assign";
}

function isWithin(path: KeyPath, outer: KeyPath): boolean {
  return outer.every((key, index) => path[index] === key);
}

export interface ValidLoadout {
  readonly entry: CatalogEntry<Loadout>;
  readonly graph: Graph;
  readonly worst: WorstCase;
}

/** Every problem of a configuration. Warnings of bundled entries are omitted: the user cannot fix them. */
export function checkCatalog(catalog: Catalog) {
  const issues: Issue[] = [...catalog.issues];
  const loadouts: ValidLoadout[] = [];
  for (const entry of catalog.materia.values()) issues.push(...entry.issues);
  for (const entry of catalog.loadouts.values()) {
    const { graph, flow, issues: found } = checkTarget({ kind: "loadout", name: entry.name, entry }, catalog, 1);
    issues.push(...found.filter((issue) => isError(issue) || entry.layer !== "bundled"));
    if (flow && !found.some(isError))
      loadouts.push({ entry, graph, worst: worstCase(graph, flow, catalog.settings.limits) });
  }
  return { issues: [...issues, ...activeLoadoutIssues(catalog)], loadouts };
}

function activeLoadoutIssues({ settings: { activeLoadout }, loadouts }: Catalog): readonly Issue[] {
  const { value, file } = activeLoadout;
  if (loadouts.has(value)) return [];
  const hint = didYouMean(value, loadouts.keys());
  const issue = error("unknown_loadout", "activeLoadout", `there is no loadout "${value}"`, hint);
  return [file === undefined ? issue : { ...issue, file }];
}
