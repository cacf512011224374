import {
  END,
  matches,
  valueAt,
  type EdgeText,
  type ExitText,
  type Graph,
  type Json,
  type JsonObject,
  type Place,
  type Region,
} from "./texts.ts";
import {
  amountOf,
  CastEnd,
  currentOf,
  fail,
  itemOf,
  newCast,
  numberOf,
  placeOf,
  regionOf,
  stopForPerson,
  write,
  type Cast,
  type Pass,
  type Route,
  type Steps,
  type World,
  type Write,
} from "./cast.ts";
import { workAtOnce } from "./items/at-once.ts";
import {
  allowMore,
  countEntry,
  countReturn,
  countUnchanged,
  cycleClosedBy,
  dropEntries,
  dropIdle,
  dropReasons,
  dropReturns,
  startList,
  keepFiles,
  staysIn,
} from "./returns.ts";
import { hinted, reasonOf } from "./visit/reasons.ts";
import { affordTurn, asked } from "./visit/asked.ts";
import { isInOrder, isItems, type Item, type Said } from "./visit/reply.ts";
import { givenMarks, marksOf, promptMarks } from "./visit/prompt-marks.ts";
import { report } from "./visit/report.ts";
import { countsAhead, edgeFor, emptyExit, exitFor, givenUpExit } from "./ways.ts";

/** Visits after which nobody follows a cast any longer. */
export const LONGEST = 60;

/** What became of a cast: one line per fact, and what it leaves. */
export interface WalkResult extends Pick<Cast, "data" | "givenUp" | "itemsDone"> {
  readonly facts: readonly string[];
  /** Whether nobody followed it to its end. */
  readonly isTooLong: boolean;
}

/** What happens in a cast of this graph. */
export function walk(graph: Graph, world: World): WalkResult {
  const cast = newCast(graph, world);
  const steps = begin(cast);
  let isTooLong = false;
  try {
    let step = steps.next();
    for (let stops = 1; !step.done; stops += 1) {
      const { limit, goesOn, rework } = step.value;
      // [D1] What was broken off goes on as it stood.
      const more = limit === undefined ? 0 : world.raise(limit, stops);
      if (more === undefined || !goesOn) break;
      if (limit === "maxTokens") cast.shared.most += more;
      cast.facts.push("resumed");
      step = steps.next((rework && world.decide(stops, rework.hasItem)) ?? more);
    }
  } catch (error) {
    if (!(error instanceof CastEnd)) throw error;
    ({ isTooLong } = error);
  }
  return { ...cast, isTooLong };
}

function* begin(cast: Cast): Steps<void> {
  yield* follow(cast, yield* arrive(cast, { to: cast.graph.entry, counted: false }));
}

/** From a socket to the end. */
function* follow(cast: Cast, first: string): Steps<void> {
  for (let at = first; at !== END;) at = yield* arrive(cast, yield* visit(cast, placeOf(cast, at)));
  // [G5, G35] However it came to its end.
  cast.facts.push(cast.last === false || cast.givenUp.length > 0 ? "ended not_satisfied" : "ended completed");
}

/** Where a way leads in truth: [O2] into a fresh pass, [O8] past a loop whose list is empty, [V5] behind its items. */
function* arrive(cast: Cast, route: Route): Steps<string> {
  if (route.fact !== undefined) cast.facts.push(route.fact);
  if (route.to === END) return END;
  if (hasReason(cast, route)) cast.sentBack.set(route.from?.loop ?? "", cast.walked.length);
  const region = regionOf(cast, route.to);
  const enters = !region || route.from?.loop !== region.id;
  const closed = route.counted && route.from ? cycleClosedBy(cast, route.from, route.to) : [];
  if (enters) {
    if (cast.pass && cast.pass.items.length > 0) leftBehind(cast, cast.pass);
    cast.pass = region?.list && passOf(cast, region, region.list, route.to);
    cast.gave = new Map();
  }
  // [G10] Past a loop without items the cycle ends where its exit leads.
  if (region && cast.pass?.items.length === 0)
    return yield* arrive(cast, { ...(yield* passBy(cast, region, route)), counted: route.counted });
  for (const id of closed) dropReturns(cast, id);
  if (enters) dropEntries(cast, closed);
  if (enters && cast.pass) yield* countEntry(cast, cast.pass, route);
  if (enters && cast.pass?.region.lanes !== undefined) {
    // [V50] What an item counts for the next one, only walking one by one can know.
    if (!countsAhead(cast.graph, cast.pass.region) && cast.world.together(cast.forks + 1))
      return yield* arrive(cast, yield* joined(cast, cast.pass, route));
    cast.facts.push(`one by one ${cast.pass.region.id}`);
  }
  if (mayBeSkipped(cast, route)) return yield* arrive(cast, yield* skip(cast, route));
  yield* countReturn(cast, route);
  remember(cast, route);
  return route.to;
}

/** [V51] Where only conflicts of accepted work were settled, its agents are not asked again. */
function mayBeSkipped(cast: Cast, { to, reason }: Route): boolean {
  const { materia, assign } = placeOf(cast, to);
  if (!cast.merging || !cast.resolved || cast.last === false || cast.skipped.has(to)) return false;
  const again = reason !== undefined && cast.visits.has(to);
  return (materia.type ?? "agent") === "agent" && assign.length === 0 && !materia.generator && !again;
}

function* skip(cast: Cast, route: Route): Steps<Route> {
  const place = placeOf(cast, route.to);
  remember(cast, route);
  cast.skipped.add(place.id);
  cast.facts.push(`skipped ${place.id}`);
  cast.last = place.parse === "json" ? true : undefined;
  const nothing = { handoff: {}, dropped: [], whole: {}, text: "", excerpt: "", patch: {} };
  return yield* leave(cast, place, { answer: cast.last, ...nothing });
}

/** [V35, V11] The loop is left as if its last item had just advanced; one that did not advance ends the cast. */
function* joined(cast: Cast, pass: Pass, route: Route): Steps<Route> {
  remember(cast, route);
  const { advanced, gaveUp, last } = yield* workAtOnce(cast, pass, route, follow);
  leftBehind(cast, pass);
  if (!advanced) return { to: END, counted: false };
  // [V49] Behind an advance the first edge that matches is taken, also where it ends the cast.
  if (!last) {
    const edge = edgeFor(advanced.place, advanced.said.answer);
    const how = edge ? `${edge.when} edge ${advanced.place.edges.indexOf(edge)}` : "null none null";
    return take(cast, advanced.place, END, how);
  }
  cast.facts.push(`exhausted ${pass.region.id} advance`);
  return exhaust(cast, advanced.place, advanced.said, gaveUp ? givenUpExit : exitFor);
}

/** [P13] Agents after a loop receive its items. */
function leftBehind(cast: Cast, pass: Pass): void {
  cast.lastPass = { pass, gave: cast.gave };
}

function passOf(cast: Cast, region: Region, list: readonly string[], door: string): Pass {
  const value = valueAt(cast.data, list);
  const items = Array.isArray(value) ? (value as readonly Item[]) : []; // generators make nothing else
  // [V3] Only here is a program's own list looked at.
  if (region.lanes !== undefined && Array.isArray(value) && !isInOrder(value as readonly JsonObject[])) fail(cast);
  cast.facts.push(`entered ${region.id} ${items.length}`);
  const which = cast.lists.get(list.join(".")) ?? 0;
  return { region, items, list: which, index: 0, end: items.length, door, since: cast.walked.length };
}

/** [O8] The first `always` exit, whichever member it names. */
function* passBy(cast: Cast, region: Region, { from, to: entered }: Route): Steps<Route> {
  // [G9] Loops without items that lead to each other would be passed by for ever.
  while ((cast.passedBy.get(region.id) ?? 0) > cast.world.limits.maxNoAdvanceCycles)
    yield* allowMore(cast, from, entered);
  if (cast.pass) startList(cast, cast.pass);
  cast.passedBy.set(region.id, (cast.passedBy.get(region.id) ?? 0) + 1);
  cast.facts.push(`exhausted ${region.id} empty`);
  const exit = emptyExit(region);
  const how = exit ? exitName(region, exit) : "null none null";
  return take(cast, placeOf(cast, exit?.from ?? entered), exit?.targetSocketId ?? region.onward, how);
}

/** [R2, R4] Why the work comes back, as long as it comes back in that way. */
function remember(cast: Cast, route: Route): void {
  const { to, reason } = route;
  const key = `${to} ${itemOf(cast)}`;
  cast.again = isSentBack(cast, route);
  const isKept = hasReason(cast, route);
  // [R2] With the item that it was said about, which need not be the one in hand.
  const said = `${cast.handed.label}\n${reason}`;
  if (isKept) cast.reasons.set(key, [said, ...(cast.reasons.get(key) ?? [])].slice(0, 3));
  else cast.reasons.delete(key);
}

function isSentBack(cast: Cast, route: Route): boolean {
  return hasReason(cast, route) && cast.visits.has(route.to);
}

function hasReason(cast: Cast, { from, to, reason }: Route): boolean {
  return reason !== undefined && from?.part === placeOf(cast, to).part;
}

/** [I1, I2] The visit whose conversation goes on: the last for this item, when work was sent back since. */
function continued(cast: Cast, place: Place): number | undefined {
  const key = `${place.id} ${itemOf(cast)}`;
  const last = place.talksOn ? cast.talks.get(key) : undefined;
  const isDue = cast.again || (cast.sentBack.get(place.loop ?? "") ?? -1) >= (last?.at ?? Infinity);
  return isDue ? last?.visit : undefined;
}

function* visit(cast: Cast, place: Place): Steps<Route> {
  const kind = place.materia.type ?? "agent";
  if (kind === "agent") yield* affordTurn(cast, place);
  if (cast.shared.visits >= LONGEST) throw new CastEnd(true);
  const number = (cast.visits.get(place.id) ?? 0) + 1;
  cast.visits.set(place.id, number);
  cast.walked.push(place.id);
  cast.shared.visits += 1;
  cast.passedBy.clear();
  const item = cast.pass ? ` WI-${cast.pass.index + 1} ${cast.pass.items[cast.pass.index]?.title}` : "";
  const earlier = continued(cast, place);
  cast.facts.push(`visit ${place.id} ${number}${item}${earlier === undefined ? "" : ` continues ${earlier}`}`);
  const told = kind === "utility" ? givenMarks(cast, place) : promptMarks(cast, place, earlier !== undefined);
  cast.facts.push(told);
  const begun = cast.walked.length;
  const name = `${cast.name}${number}`;
  const said = yield* asked(cast, place, { name, told });
  const data = assigned(cast, place, said);
  if (said.found) {
    const marks = marksOf(JSON.stringify(said.handoff)).join(" ");
    cast.facts.push(`accepted ${place.id} ${said.found} ${said.answer} [${said.dropped.toSorted().join()}] ${marks}`);
  } else cast.facts.push(`text ${place.id} ${marksOf(said.text).join(" ")}`);
  const list = cast.lists.get("workItems");
  write(cast, data, kind !== "agent");
  // [P9] What it says about a list that it found, or that its assign put there, is no note on it.
  const isOther = place.assign.some(([target, source]) => target === "workItems" && source !== "$.workItems");
  if (place.materia.generator && !isOther && cast.lists.get("workItems") !== list)
    cast.notes.set(cast.lists.get("workItems") ?? 0, said.handoff.context ?? "");
  handOn(cast, place, said);
  if (kind === "agent") report(cast, place, said);
  if (kind === "utility" || place.materia.tools !== undefined) keepFiles(cast, place, name);
  cast.facts.push(`done ${place.id}`);
  cast.talks.set(`${place.id} ${itemOf(cast)}`, { visit: number, at: begun });
  return yield* leave(cast, place, said);
}

/** [O6, H14, H17, H18] What the visit writes into state: utility state, the list of a generator, then `assign`. */
function assigned(cast: Cast, place: Place, said: Said): readonly Write[] {
  const item = cast.pass?.items[cast.pass.index];
  const patched = { ...cast.data, ...said.patch, ...currentOf(cast) };
  const list = said.handoff.workItems;
  return [
    ...Object.entries(said.patch).map(([key, value]) => [[key], value] as const),
    ...(place.materia.generator && list ? [[["workItems"], list as unknown as Json] as const] : []), // plain data
    ...place.assign.map(([target, source]) => {
      const [root, ...path] = source.split(".");
      const base = root === "$" ? said.whole : root === "state" ? patched : (item as Json | undefined);
      const value = valueAt(base, path) ?? (source === "$.context" ? "" : undefined);
      // [H16] That state lacks what is to be copied, or has no list where one is wanted, is nobody's reply.
      const wrong = root !== "$" && target === "workItems" && !isItems(value ?? null);
      return [target.split("."), value === undefined || wrong ? fail(cast) : value] as const;
    }),
  ];
}

/** What the next visit gets of this one. */
function handOn(cast: Cast, place: Place, { found, handoff, text, answer }: Said): void {
  // Its assign may have put another list there.
  const isKept = JSON.stringify(cast.data["workItems"]) === JSON.stringify(handoff.workItems);
  const list = isKept ? numberOf(cast, cast.data["workItems"]) : -1;
  const { type, generator, gate } = place.materia;
  const words = gate && answer ? "" : found ? (handoff.context ?? "") : text;
  // [Q4] A program that says nothing leaves what was said before; a no is news, and so is an agent's silence.
  const silent = (type ?? "agent") !== "agent" && words.trim() === "" && answer !== false && !generator;
  const label = cast.pass?.items[cast.pass.index]?.title ?? "";
  if (!silent)
    cast.handed = {
      label,
      text: words,
      items: generator ? (handoff.workItems ?? []) : [],
      made: generator === true,
      list,
    };
  cast.last = answer;
}

/** [O6, O7, O9] Advance, then an exit when exhausted, or else the first edge that matches. */
function* leave(cast: Cast, place: Place, handedOver: Said): Steps<Route> {
  let said = handedOver;
  const { answer } = said;
  const advanced = place.advance !== undefined && matches(place.advance, answer);
  if (advanced) cast.itemsDone += 1;
  if (advanced && !advance(cast, place, said)) return exhaust(cast, place, said, exitFor);
  const edge = edgeFor(place, answer);
  if (!edge) return take(cast, place, place.onward, "null none null");
  const number = place.edges.indexOf(edge);
  // [G7] From one item to the next an edge without a limit counts for neither.
  const between = advanced && edge.maxTraversals === undefined;
  const key = `${place.id} edge ${number} ${staysIn(cast, place, edge.to) && !between ? itemOf(cast) : ""}`;
  const used = cast.traversals.get(key) ?? 0;
  while (used >= (edge.maxTraversals ?? Infinity) + (cast.allowed.get(key) ?? 0)) {
    if (edge.then !== undefined) return takeThen(cast, place, { edge, advanced }, said);
    const rework = edge.when === "not_satisfied" && !advanced ? { hasItem: cast.pass !== undefined } : undefined;
    const where = `${place.id} ${edge.to} ${used}`;
    const more = yield* stopForPerson(cast, { limit: "maxTraversals", where, goesOn: true, rework });
    if (typeof more === "string" && rework) return yield* decided(cast, place, { edge, decision: more }, said);
    if (typeof more === "object" && rework) said = hinted(cast, said, more.hint);
    cast.allowed.set(key, (cast.allowed.get(key) ?? 0) + amountOf(more));
  }
  const decision = advanced ? undefined : yield* countUnchanged(cast, place, edge);
  if (typeof decision === "object") said = hinted(cast, said, decision.hint);
  else if (decision) return yield* decided(cast, place, { edge, decision }, said);
  cast.traversals.set(key, used + 1);
  const fact = way(cast, place, edge.to, `${edge.when} edge ${number}`, used + 1);
  return { from: place, to: edge.to, fact, counted: edge.maxTraversals !== undefined, ...reasonOf(edge.when, said) };
}

/** [R6] A person takes the result as it is, or gives its item up. */
function* decided(
  cast: Cast,
  place: Place,
  { edge, decision }: { readonly edge: EdgeText; readonly decision: "accept" | "next" },
  said: Said,
): Steps<Route> {
  if (decision === "next") return takeThen(cast, place, { edge, advanced: false, then: "next" }, said);
  cast.last = true;
  return yield* leave(cast, place, { ...said, answer: true });
}

/** Whether there is a next item. [G10, R4] Its predecessor's returns and reasons are forgotten. */
function advance(cast: Cast, place: Place, said: Said): boolean {
  const { pass } = cast;
  if (!pass) return false;
  dropReasons(cast, itemOf(cast));
  for (const member of pass.region.members) {
    dropReturns(cast, member);
    dropIdle(cast, member);
    cast.talks.delete(`${member} ${itemOf(cast)}`);
  }
  cast.advanced = { place, said };
  cast.pass = { ...pass, index: pass.index + 1, since: cast.walked.length };
  cast.facts.push(`advanced ${pass.region.id} ${pass.index + 1}/${pass.items.length}`);
  if (pass.index + 1 < pass.end) return true;
  cast.facts.push(`exhausted ${pass.region.id} advance`);
  return false;
}

function exhaust(cast: Cast, place: Place, said: Said, choose: typeof exitFor): Route {
  // [V29] Behind its item the cast of one ends; where the loop leads, the other cast knows.
  if (cast.name !== "") return take(cast, place, END, "null none null");
  const region = regionOf(cast, place.id);
  const exit = region && choose(place, region, said.answer);
  const onward = (choose === givenUpExit ? region?.onward : undefined) ?? place.onward;
  if (!region || !exit) return take(cast, place, onward, "null none null");
  return { ...take(cast, place, exit.targetSocketId, exitName(region, exit)), ...reasonOf(exit.condition, said) };
}

function exitName({ exits }: Region, exit: ExitText): string {
  return `${exit.condition} exit ${exits.indexOf(exit)} ${exit.id}`;
}

/** [G27, G28] The way that is left when the traversals of an edge are used up. */
function takeThen(
  cast: Cast,
  place: Place,
  { edge, advanced, then = edge.then }: { readonly edge: EdgeText; readonly advanced: boolean; readonly then?: string },
  said: Said,
): Route {
  const how = `${edge.when} edge ${place.edges.indexOf(edge)} then`;
  if (then !== "next") return { ...take(cast, place, then ?? END, how, advanced), ...reasonOf(edge.when, said) };
  // Behind an advance the next item is in hand already.
  if (!advanced) {
    cast.facts.push(`gave up ${cast.pass?.region.id} ${cast.pass?.index}`);
    cast.givenUp.push(cast.pass?.items[cast.pass.index]?.title ?? "");
    cast.gave.set(cast.pass?.index ?? 0, said.answer === false ? (reasonOf("not_satisfied", said).reason ?? "") : "");
    if (!advance(cast, place, said)) return exhaust(cast, place, said, givenUpExit);
  }
  return take(cast, place, cast.pass?.door ?? END, how, true);
}

function take(cast: Cast, place: Place, to: string, how: string, between = false): Route {
  const key = `${place.id} ${how} ${staysIn(cast, place, to) && !between ? itemOf(cast) : ""}`;
  const traversal = (cast.traversals.get(key) ?? 0) + 1;
  cast.traversals.set(key, traversal);
  return { from: place, to, fact: way(cast, place, to, how, traversal), counted: false };
}

/** A way from part to part is a joint, of any former kind: only its two ends are reported. */
function way(cast: Cast, from: Place, to: string, how: string, traversal: number): string {
  const joint = to !== END && placeOf(cast, to).part !== from.part;
  return joint ? `joint ${to}` : `way ${from.id} ${to} ${how} ${traversal}`;
}
