import { END, matches, valueAt } from "./texts.ts";
import type { EdgeText, ExitText, Graph, Json, Place, Region } from "./texts.ts";
import { Ended, currentOf, fail, itemOf, newCast, placeOf, regionOf, stopAt, write } from "./cast.ts";
import type { Cast, Pass, Route, World, Writes } from "./cast.ts";
import { countReturn, cycleClosedBy, forget, forgive, staysIn } from "./returns.ts";
import { judged, read } from "./reply.ts";
import type { Item, Said } from "./reply.ts";
import { marksOf, told, toldAgain } from "./told.ts";
import { edgeFor, emptyExit, exitFor, givenUpExit } from "./ways.ts";

/** Tokens of every turn. */
export const TURN = 15;
/** Visits after which nobody follows a cast any longer. */
export const LONGEST = 60;

/** What happens in a cast of this graph, one line per fact, and the state it leaves. */
export function walk(graph: Graph, world: World): { readonly facts: readonly string[]; readonly data: Json } {
  const cast = newCast(graph, world);
  try {
    let at = arrive(cast, { to: graph.entry, counted: true });
    while (at !== END && cast.walked.length < LONGEST) at = arrive(cast, visit(cast, placeOf(cast, at)));
    // [G5, G28] However it came to its end.
    if (at === END) cast.facts.push(cast.last === false || cast.gaveUp ? "ended not_satisfied" : "ended completed");
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
  return { facts: cast.facts, data: cast.data };
}

/** Where a way leads in truth: [O2] into a fresh pass, [O8] past a loop whose list is empty. */
function arrive(cast: Cast, route: Route): string {
  if (route.fact !== undefined) cast.facts.push(route.fact);
  if (route.to === END) return END;
  if (route.counted && route.from) for (const id of cycleClosedBy(cast, route.from, route.to)) forget(cast, id);
  const region = regionOf(cast, route.to);
  if (!region || route.from?.loop !== region.id)
    cast.pass = region?.list && passOf(cast, region, region.list, route.to);
  if (region && cast.pass?.items.length === 0) return arrive(cast, passBy(cast, region, route));
  countReturn(cast, route);
  remember(cast, route);
  return route.to;
}

function passOf(cast: Cast, region: Region, list: readonly string[], door: string): Pass {
  const value = valueAt(cast.data, list);
  const items = Array.isArray(value) ? (value as readonly Item[]) : []; // generators make nothing else
  cast.facts.push(`entered ${region.id} ${items.length}`);
  return { region, items, list: cast.lists.get(list.join(".")) ?? 0, index: 0, door, since: cast.walked.length };
}

/** [O8] The first `always` exit, whichever member it names. */
function passBy(cast: Cast, region: Region, { from, to: entered }: Route): Route {
  // [G9] Loops without items that lead to each other would be passed by for ever.
  while ((cast.passedBy.get(region.id) ?? 0) > cast.world.limits.maxNoAdvanceCycles) forgive(cast, from, entered);
  cast.passedBy.set(region.id, (cast.passedBy.get(region.id) ?? 0) + 1);
  cast.facts.push(`exhausted ${region.id} empty`);
  const exit = emptyExit(region);
  const how = exit ? exitName(region, exit) : "null none null";
  return take(cast, placeOf(cast, exit?.from ?? entered), exit?.targetSocketId ?? region.onward, how);
}

/** [R2, R4] Why the work comes back, as long as it comes back in that way. */
function remember(cast: Cast, { from, to, reason }: Route): void {
  const key = `${to} ${itemOf(cast)}`;
  const again = reason !== undefined && cast.walked.includes(to) && from?.part === placeOf(cast, to).part;
  // [R2] With the item that it was said about, which need not be the one in hand.
  const said = `${cast.handed.label}\n${reason}`;
  if (again) cast.reasons.set(key, [said, ...(cast.reasons.get(key) ?? [])].slice(0, 3));
  else cast.reasons.delete(key);
}

function visit(cast: Cast, place: Place): Route {
  const kind = place.materia.type ?? "agent";
  if (kind === "agent") affordTurn(cast, place);
  const number = (cast.visits.get(place.id) ?? 0) + 1;
  cast.visits.set(place.id, number);
  cast.walked.push(place.id);
  cast.passedBy.clear();
  const item = cast.pass ? ` WI-${cast.pass.index + 1} ${cast.pass.items[cast.pass.index]?.title}` : "";
  cast.facts.push(`visit ${place.id} ${number}${item}`);
  if (kind !== "utility") cast.facts.push(told(cast, place));
  const said =
    kind === "agent"
      ? agree(cast, place, number)
      : kind === "person"
        ? askPerson(cast, place, number)
        : run(cast, place, number);
  const data = assigned(cast, place, said);
  if (said.found) {
    const marks = marksOf(JSON.stringify(said.handoff)).join(" ");
    cast.facts.push(`accepted ${place.id} ${said.found} ${said.answer} [${said.dropped.toSorted().join()}] ${marks}`);
  } else cast.facts.push(`text ${place.id} ${marksOf(said.text).join(" ")}`);
  const list = cast.lists.get("workItems");
  write(cast, data, kind !== "agent");
  // [P9] What a program says about a list that it found is no note on it.
  if (place.materia.generator && cast.lists.get("workItems") !== list)
    cast.notes.set(cast.lists.get("workItems") ?? 0, said.handoff.context ?? "");
  handOn(cast, place, said);
  cast.facts.push(`done ${place.id}`);
  return leave(cast, place, said);
}

/** [D17] No turn starts beyond the budget. */
function affordTurn(cast: Cast, place: Place): void {
  const most = (cast.world.budget.maxTokens ?? Infinity) + (cast.allowed.get("tokens") ?? 0);
  if (cast.tokens < most) return;
  cast.allowed.set("tokens", (cast.allowed.get("tokens") ?? 0) + stopAt(cast, "maxTokens", place.id));
  affordTurn(cast, place);
}

/** [Q5, Q6] A person says yes or no. */
function askPerson(cast: Cast, place: Place, number: number): Said {
  cast.facts.push(`waiting ${place.id}`, "resumed");
  const { yes, text } = cast.world.person(place, number, 1);
  return judged(yes, text);
}

/** [H12, Q1] A utility has one answer: what it prints, or as a gate how it ends. */
function run(cast: Cast, place: Place, number: number): Said {
  const printed = cast.world.reply(place, number, 1);
  const code = cast.world.exitCode(place, number);
  if (place.materia.gate) return judged(code === 0, code === 0 ? printed.trim() : printed.trim() || `code ${code}`);
  return read(printed, place, regionOf(cast, place.id)) ?? fail(cast);
}

/** [A8, J16] With an interactive agent a person talks until they are content, then the last reply counts, if it can. */
function agree(cast: Cast, place: Place, number: number): Said {
  const talk = (turn: number, answer = ""): string => {
    if (turn > 1) {
      affordTurn(cast, place);
      cast.facts.push(toldAgain(cast, place, answer));
    }
    cast.tokens += TURN;
    return cast.world.reply(place, number, turn);
  };
  if (!place.materia.interactive) return repaired(cast, place, 1, talk);
  let answer = "";
  for (let turn = 1; ; turn += 1) {
    const text = talk(turn, answer);
    cast.facts.push(`waiting ${place.id}`, "resumed");
    const said = cast.world.person(place, number, turn);
    answer = said.text;
    if (said.yes) return read(text, place, regionOf(cast, place.id)) ?? repaired(cast, place, turn + 1, talk);
  }
}

/** [H11] An invalid reply is asked for again so many times. */
function repaired(cast: Cast, place: Place, first: number, talk: (turn: number) => string): Said {
  let repairs = cast.world.limits.maxRepairs;
  for (let rejected = 1; ; rejected += 1) {
    const said = read(talk(first + rejected - 1), place, regionOf(cast, place.id));
    if (said) return said;
    cast.facts.push(`rejected ${place.id} ${rejected}`);
    if (rejected > repairs) repairs += stopAt(cast, "maxRepairs", place.id);
  }
}

/** [O6, H14, H17, H18] What the visit writes into state: utility state, the list of a generator, then `assign`. */
function assigned(cast: Cast, place: Place, said: Said): Writes {
  const item = cast.pass?.items[cast.pass.index];
  const patched = { ...cast.data, ...said.patch, ...currentOf(cast) };
  const list = said.handoff.workItems;
  return [
    ...Object.entries(said.patch).map(([key, value]) => [[key], value] as const),
    ...(place.materia.generator && list ? [[["workItems"], list as unknown as Json] as const] : []), // plain data
    ...place.assign.map(([target, source]) => {
      const [root, ...path] = source.split(".");
      const base = root === "$" ? said.whole : root === "state" ? patched : (item as Json | undefined);
      const value = valueAt(base, path);
      // [H16] That state lacks what is to be copied is nobody's reply.
      return [target.split("."), value === undefined ? fail(cast) : value] as const;
    }),
  ];
}

/** What the next visit is told of this one. */
function handOn(cast: Cast, place: Place, { found, handoff, text, answer }: Said): void {
  const list = cast.lists.get("workItems") ?? 0;
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
function leave(cast: Cast, place: Place, said: Said): Route {
  const { answer } = said;
  const advanced = place.advance !== undefined && matches(place.advance, answer);
  if (advanced && !advance(cast)) return exhaust(cast, place, said, exitFor);
  const edge = edgeFor(place, answer);
  if (!edge) return take(cast, place, place.onward, "null none null");
  const number = place.edges.indexOf(edge);
  const key = `${place.id} edge ${number} ${staysIn(cast, place, edge.to) ? itemOf(cast) : ""}`;
  const used = cast.traversals.get(key) ?? 0;
  if (used >= (edge.maxTraversals ?? Infinity) + (cast.allowed.get(key) ?? 0)) {
    if (edge.then !== undefined) return takeThen(cast, place, { edge, advanced }, said);
    cast.allowed.set(
      key,
      (cast.allowed.get(key) ?? 0) + stopAt(cast, "maxTraversals", `${place.id} ${edge.to} ${used}`),
    );
  }
  cast.traversals.set(key, used + 1);
  const fact = way(cast, place, edge.to, `${edge.when} edge ${number}`, used + 1);
  return { from: place, to: edge.to, fact, counted: edge.maxTraversals !== undefined, ...reasonOf(edge.when, said) };
}

/** Whether there is a next item. [G10, R4] Its predecessor's returns and reasons are forgotten. */
function advance(cast: Cast): boolean {
  const { pass } = cast;
  if (!pass) return false;
  const item = itemOf(cast);
  for (const key of cast.reasons.keys()) if (key.endsWith(` ${item}`)) cast.reasons.delete(key);
  for (const member of pass.region.members) forget(cast, member);
  cast.pass = { ...pass, index: pass.index + 1, since: cast.walked.length };
  cast.facts.push(`advanced ${pass.region.id} ${pass.index + 1}/${pass.items.length}`);
  if (pass.index + 1 < pass.items.length) return true;
  cast.facts.push(`exhausted ${pass.region.id} advance`);
  return false;
}

function exhaust(cast: Cast, place: Place, said: Said, choose: typeof exitFor): Route {
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
  { edge, advanced }: { readonly edge: EdgeText; readonly advanced: boolean },
  said: Said,
): Route {
  const how = `${edge.when} edge ${place.edges.indexOf(edge)} then`;
  if (edge.then !== "next") return { ...take(cast, place, edge.then ?? END, how), ...reasonOf(edge.when, said) };
  // Behind an advance the next item is in hand already.
  if (!advanced) {
    cast.facts.push(`gave up ${cast.pass?.region.id} ${cast.pass?.index}`);
    cast.gaveUp = true;
    if (!advance(cast)) return exhaust(cast, place, said, givenUpExit);
  }
  return take(cast, place, cast.pass?.door ?? END, how);
}

function take(cast: Cast, place: Place, to: string, how: string): Route {
  const key = `${place.id} ${how} ${staysIn(cast, place, to) ? itemOf(cast) : ""}`;
  const traversal = (cast.traversals.get(key) ?? 0) + 1;
  cast.traversals.set(key, traversal);
  return { from: place, to, fact: way(cast, place, to, how, traversal), counted: false };
}

/** A way from part to part is a joint, whatever it was before: only its two ends are told. */
function way(cast: Cast, from: Place, to: string, how: string, traversal: number): string {
  const joint = to !== END && placeOf(cast, to).part !== from.part;
  return joint ? `joint ${to}` : `way ${from.id} ${to} ${how} ${traversal}`;
}

/** [R1] Why a `not_satisfied` way was taken: the context, else the beginning of the output. */
function reasonOf(when: string, { handoff, excerpt }: Said): { readonly reason?: string } {
  if (when !== "not_satisfied") return {};
  const context = handoff.context?.trim() ? handoff.context : undefined;
  return { reason: context ?? excerpt.slice(0, 900) };
}
