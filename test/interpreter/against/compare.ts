import { evaluateFormula, worstCase } from "../../../src/core/compile/worst-case.ts";
import type { CompiledChain } from "../../../src/core/compile/targets/compile.ts";
import { compose } from "../compose.ts";
import type { World } from "../cast.ts";
import { walk, type WalkResult } from "../walk.ts";
import type { Graph } from "../texts.ts";
import { chanceOf } from "../random/chance.ts";
import { worldOf } from "../random/replies.ts";
import { BUILT, type Case } from "../random/worlds.ts";
import { withOtherWays } from "../random/edits.ts";
import { forkedLog, replayedEvents } from "./again.ts";
import { impossibleIn } from "./warned.ts";
import { engineGraph, engineStart, runEngine, type Ran } from "./engine.ts";

export const ASPECTS = [
  "check",
  "cast",
  "state",
  "resume",
  "replay",
  "fork",
  "edit",
  "lanes",
  "flow",
  "worst case",
] as const;
export type Aspect = (typeof ASPECTS)[number];

export interface Difference {
  readonly aspect: Aspect;
  /** The same for differences that probably have one cause. */
  readonly kind: string;
  readonly text: string;
}

export interface Comparison {
  readonly difference?: Difference;
  /** What was reached, for the measure of what the cases cover. */
  readonly facts: readonly string[];
  readonly bounded: boolean;
}

/** The same case for the interpreter and for the engine: where they differ first, or nothing. */
export function compare(each: Case): Comparison {
  const ours = compose(each.targets, each.texts);
  const theirs = engineGraph(each);
  const rules = ours.problems ?? [];
  if (ours.problems || !theirs.ok) {
    const codes = theirs.ok ? [] : theirs.issues.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));
    const facts = rules.map((rule) => `refused ${rule}`);
    if (rules.length > 0 && codes.length > 0) return { facts, bounded: false };
    const text = `rules: [${rules.join()}] engine: [${codes.join()}]`;
    return { facts, bounded: false, difference: { aspect: "check", kind: text, text } };
  }
  const world = worldOf(each);
  const walked = walk(ours.graph, world);
  const { facts } = walked;
  const ran = runEngine(engineStart(each, theirs.value), [], ours.graph, world);
  const { turns } = worstCase(theirs.value.graph, theirs.value.flow, each.texts.limits);
  const difference =
    firstDifference("cast", facts.filter(isBuilt).map(plainWay), ran.facts.filter(isBuilt).map(plainWay)) ??
    // Where nobody follows it any longer, one has told of an item that the other is about to merge.
    (walked.isTooLong ? undefined : firstDifference("state", leftBy(walked), leftByEngine(ran))) ??
    resumed(each, theirs.value, ran, { graph: ours.graph, world }) ??
    replayed(each, theirs.value, ran) ??
    forked(each, theirs.value, ran, { graph: ours.graph, world }) ??
    edited(each, theirs.value, ran) ??
    withOtherLanes(each, theirs.value, ran, { graph: ours.graph, world }) ??
    happenedAllTheSame(theirs.value, ran) ??
    beyondWorst(each, theirs.value, ran);
  const slept = ran.events.some(({ type }) => type === "cast_sleeping") ? ["slept"] : [];
  return { facts: [...facts, ...slept], bounded: turns !== null, ...(difference && { difference }) };
}

function isBuilt(fact: string): boolean {
  return BUILT.has("told") || !fact.startsWith("told ");
}

function plainWay(fact: string): string {
  return BUILT.has("leaving edges") ? fact : fact.replace(/^(way .*) \d+$/, "$1");
}

function firstDifference(aspect: Aspect, ours: readonly string[], theirs: readonly string[]): Difference | undefined {
  const length = Math.max(ours.length, theirs.length);
  const at = Array.from({ length }, (_, index) => index).find((index) => ours[index] !== theirs[index]);
  if (at === undefined) return undefined;
  const kinds = [ours[at], theirs[at]].map((fact) => fact?.replaceAll(/\s*\S*[\d«[]\S*/g, "") ?? "nothing");
  const text = [...ours.slice(0, at), `rules:  ${ours[at]}`, `engine: ${theirs[at]}`].join("\n  ");
  return { aspect, kind: aspect === "state" ? "state" : kinds.join(" | "), text };
}

/** [D1] A journal that was cut anywhere goes on to the same end. */
function resumed(
  each: Case,
  compiled: CompiledChain,
  ran: Ran,
  { graph, world }: { readonly graph: Graph; readonly world: World },
): Difference | undefined {
  const chance = chanceOf("cut", each.seed);
  const everywhere = ran.log.length < 80 && chance.happens(1 / 3);
  const cuts = everywhere ? ran.log.map((_, at) => at) : [chance.count(0, ran.log.length - 1)];
  const plain = (facts: readonly string[]) => facts.filter((fact) => !/^(?:told |resumed)/.test(fact));
  for (const cut of cuts) {
    const again = runEngine(engineStart(each, compiled), upTo(ran.log, cut), graph, world);
    const difference =
      firstDifference("resume", plain(ran.facts), plain(again.facts)) ??
      firstDifference("resume", leftByEngine(ran), leftByEngine(again));
    if (difference) return { ...difference, text: `cut after ${cut}:\n${difference.text}` };
  }
  return undefined;
}

/** [T14] On an unchanged configuration every cast replays to its own journal. */
function replayed(each: Case, compiled: CompiledChain, ran: Ran): Difference | undefined {
  // A replay goes on where nobody followed the cast any longer.
  if (ran.state.phase.kind !== "ended") return undefined;
  const { ours, theirs } = replayedEvents(ran, engineStart(each, compiled));
  return firstDifference("replay", ours, theirs);
}

/** [T20] A fork with the same answers goes on to the same end. */
function forked(
  each: Case,
  compiled: CompiledChain,
  ran: Ran,
  { graph, world }: { readonly graph: Graph; readonly world: World },
): Difference | undefined {
  const start = engineStart(each, compiled);
  if (ran.events.every(({ type }) => type !== "visit_started")) return undefined;
  const log = forkedLog(ran, start, { graph, seed: each.seed });
  if (typeof log === "string") return { aspect: "fork", kind: "refused fork", text: log };
  const again = runEngine(start, log, graph, world);
  const plain = (facts: readonly string[]) => facts.filter((fact) => !/^(?:told |resumed)/.test(fact));
  return (
    firstDifference("fork", plain(ran.facts), plain(again.facts)) ??
    firstDifference("fork", leftByEngine(ran), leftByEngine(again))
  );
}

/** [T20] A fork of a cast whose loadout was edited becomes what a new cast of that loadout becomes. */
function edited(each: Case, compiled: CompiledChain, ran: Ran): Difference | undefined {
  // Who resumed the first cast decided about that one.
  if (ran.events.some(({ type }) => type === "limit_reached" || type === "turn_failed" || type === "cast_woken"))
    return;
  if (ran.state.phase.kind !== "ended" || ran.state.phase.outcome === "aborted") return undefined;
  const other = withOtherWays(chanceOf("edit", each.seed), each);
  const ours = compose(other.targets, other.texts);
  const theirs = engineGraph(other);
  if (ours.problems || !theirs.ok) return undefined;
  const world = worldOf(other);
  const [start, now] = [engineStart(each, compiled), engineStart(other, theirs.value)];
  const log = forkedLog(ran, start, { graph: ours.graph, seed: each.seed, now });
  if (typeof log === "string") return { aspect: "edit", kind: "refused edit", text: log };
  // There is nothing to fork: it becomes what it was.
  if (log.length === 0) return undefined;
  const fresh = runEngine(now, [], ours.graph, world);
  const fork = runEngine(now, log, ours.graph, world);
  // What the first cast counted for an edge it may have counted in another way.
  const plain = (facts: readonly string[]) =>
    facts.filter((fact) => !/^(?:told |resumed)/.test(fact)).map((fact) => fact.replace(/^(way .*) \d+$/, "$1"));
  // [V48] At once and one by one the same comes of it, in other words.
  const kindsOf = (facts: readonly string[]) => facts.filter((fact) => /^(?:forked|one by one) /.test(fact)).join();
  if (kindsOf(fresh.facts) !== kindsOf(fork.facts)) return undefined;
  const difference =
    firstDifference("edit", plain(fresh.facts), plain(fork.facts)) ??
    firstDifference("edit", leftByEngine(fresh), leftByEngine(fork));
  return difference && { ...difference, text: `edited: ${JSON.stringify(other.texts.loadouts)}\n${difference.text}` };
}

/** [V28, V7] Neither the number of lanes nor who is quicker changes what comes of a cast that nothing stopped. */
function withOtherLanes(
  each: Case,
  compiled: CompiledChain,
  ran: Ran,
  { graph, world }: { readonly graph: Graph; readonly world: World },
): Difference | undefined {
  const types = new Set(ran.events.map(({ type }) => type));
  if (!types.has("item_started") || !types.has("cast_ended")) return undefined;
  if (types.has("limit_reached") || types.has("turn_failed")) return undefined;
  const start = engineStart(each, compiled);
  const loops = Object.entries(start.graph.loops).map(
    ([id, loop]) => [id, { ...loop, ...(loop.parallel === undefined ? {} : { parallel: 8 }) }] as const,
  );
  const wide = { ...start, graph: { ...start.graph, loops: Object.fromEntries(loops) } };
  const again = runEngine(wide, [], graph, { ...world, pace: (work) => -world.pace(work) });
  // Items behind the last that counts may use up the budget.
  if (again.events.at(-1)?.type !== "cast_ended" || again.events.some(isBudgetLimit)) return undefined;
  const plain = (facts: readonly string[]) => facts.filter((fact) => !/^(?:forked|begins) /.test(fact));
  return (
    firstDifference("lanes", plain(ran.facts), plain(again.facts)) ??
    firstDifference("lanes", leftByEngine(ran), leftByEngine(again))
  );
}

function isBudgetLimit(event: Ran["events"][number]): boolean {
  return event.type === "limit_reached" && event.limit === "maxTokens";
}

/** What goes into a journal in one write is there, or is not. */
function upTo(log: Ran["log"], cut: number): Ran["log"] {
  const last = log[cut - 1];
  const next = log[cut]?.event?.type;
  const isHalf =
    last?.event?.type === "cast_resumed"
      ? next === "person_judged" || next === "item_given_up"
      : last?.event?.type === "limits_raised" && last.cast !== log[0]?.cast;
  return isHalf ? upTo(log, cut - 1) : log.slice(0, cut);
}

function leftBy({ data, givenUp, itemsDone }: WalkResult): readonly string[] {
  // [G35] The end names the first twenty.
  return [sorted(data), `${givenUp.length} given up: ${givenUp.slice(0, 20).join()}`, `${itemsDone} items done`];
}

function leftByEngine({ state: { data, givenUp, done } }: Ran): readonly string[] {
  const titles = givenUp.first.map(({ title }) => title);
  const count = givenUp.count === (done.itemsGivenUp ?? 0) ? givenUp.count : "miscounted";
  return [sorted(data), `${count} given up: ${titles.join()}`, `${done.itemsDone} items done`];
}

/** [G18, O16] What the check calls impossible does not happen. */
function happenedAllTheSame(compiled: CompiledChain, ran: Ran): Difference | undefined {
  const [first] = impossibleIn(ran, compiled);
  return first === undefined ? undefined : { aspect: "flow", kind: first.replaceAll(/\S*\d\S*/g, ""), text: first };
}

/** [G24, G36] No cast of a bounded graph takes more turns than its formulas give, as long as nobody raises a limit. */
function beyondWorst(each: Case, { graph, flow }: CompiledChain, { log, events, turns }: Ran): Difference | undefined {
  const formulas = worstCase(graph, flow, each.texts.limits);
  if (formulas.turns === null || formulas.withRepairs === null) return undefined;
  if (events.some(({ type }) => type === "limits_raised" || type === "person_answered")) return undefined;
  if (log.some(({ event }) => event?.type === "turn_failed" || event?.type === "cast_resumed")) return undefined;
  // [R6] Nor does anybody decide about a stopped cast.
  if (events.some(({ type }, at) => type === "limit_reached" && at < events.length - 2)) return undefined;
  if (!BUILT.has("interactive bound") && events.some(({ type }) => type === "person_finished")) return undefined;
  const sizes = (loop: string): number =>
    Math.max(0, ...events.map((event) => (event.type === "loop_entered" && event.loop === loop ? event.size : 0)));
  const visits = log.filter(
    ({ event }) => event?.type === "visit_started" && graph.materia[event.materia]?.type === "agent",
  ).length;
  const allowed = [evaluateFormula(formulas.turns, sizes), evaluateFormula(formulas.withRepairs, sizes)] as const;
  if (visits <= allowed[0] && turns <= allowed[1]) return undefined;
  const text = `visits ${visits} of ${allowed[0]}, turns ${turns} of ${allowed[1]}`;
  return { aspect: "worst case", kind: "worst case", text };
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
