import type { CastEvent, EventOf } from "../../../src/core/cast/state/event.ts";
import type { CastState } from "../../../src/core/cast/state/state.ts";
import type { Graph } from "../../../src/core/compile/graph.ts";
import { END } from "../../../src/core/model/ids.ts";
import type { TurnRequest, UtilityOutcome, UtilityRequest } from "../../../src/shell/ports.ts";
import { compose } from "../../interpreter/compose.ts";
import { withParallelLoops } from "../../interpreter/random/lanes.ts";
import { worldOf } from "../../interpreter/random/replies.ts";
import { randomCase, type Case } from "../../interpreter/random/worlds.ts";
import { caseOfKind, type Kind } from "../../interpreter/random/kinds.ts";
import type { JsonObject, LoadoutText, Place as SocketPlace, Texts } from "../../interpreter/texts.ts";
import { engineGraph } from "../../interpreter/against/engine.ts";
import { chanceOf } from "../../interpreter/random/chance.ts";
import { exited } from "../../harness/seats.ts";
import { eventsOf, live, placeOf, type AgentAction, type Place } from "./lives.ts";

/** What became of a loadout with a parallel loop and of the same loadout without `parallel`. */
export interface LawResult {
  /**
   * At once at several speeds. Undefined where the loadout is refused, where no items ran at once, or where nobody
   * followed a cast to its end.
   */
  readonly results?: { readonly atOnce: readonly CastResult[]; readonly oneByOne: CastResult };
}

/** What the law compares. */
interface CastResult {
  readonly outcome: readonly (string | null)[];
  /** Edges outside loops, and for each item of each walk. */
  readonly edges: Readonly<Record<string, readonly string[]>>;
  readonly counts?: object;
  readonly givenUp?: CastState["givenUp"];
  readonly state?: unknown;
  readonly files?: unknown;
}

/** How many times items run at once, each time with other items that are quicker. */
const SPEEDS = 3;

/** A random loadout with parallel loops, with replies by item that touch different files: at once, and one by one. */
export async function castBothWays(seed: number, kind?: Kind): Promise<LawResult> {
  const made = kind === undefined ? { ...randomCase(seed), targets: ["loadout:A"] } : caseOfKind(kind, seed);
  const each = withoutPeople(withParallelLoops(made));
  const ours = compose(each.targets, each.texts);
  const alone = { ...each, parallel: false, texts: withoutParallel(each.texts) };
  const [wide, narrow] = [engineGraph(each), engineGraph(alone)];
  if (ours.problems || !wide.ok || !narrow.ok) return {};
  const { places } = ours.graph;
  const atOnce: CastResult[] = [];
  for (let speed = 1; speed <= SPEEDS; speed += 1) {
    const run = await resultOf({ each: { ...each, parallel: "sound" }, graph: wide.value.graph, places, speed });
    if (!run?.isForked) return {};
    atOnce.push(run.result);
  }
  const oneByOne = await resultOf({ each: alone, graph: narrow.value.graph, places, speed: 0 });
  return oneByOne ? { results: { atOnce, oneByOne: oneByOne.result } } : {};
}

/** Nobody answers here: other sockets stand for people. */
function withoutPeople(each: Case): Case {
  const stand: Readonly<Record<string, string>> = {
    Chat: "Json",
    Person: "Gate",
    "Ask-Plan": "Plan",
    "Interactive-Plan": "Plan",
    Approve: "Run-Checks",
  };
  return withLoadouts(each, (loadout) => ({
    ...loadout,
    sockets: Object.fromEntries(
      Object.entries(loadout.sockets).map(([id, socket]) => [
        id,
        { ...socket, materia: stand[socket.materia] ?? socket.materia },
      ]),
    ),
  }));
}

function withLoadouts(each: Case, change: (loadout: LoadoutText) => LoadoutText): Case {
  const loadouts = Object.entries(each.texts.loadouts).map(([name, loadout]) => [name, change(loadout)] as const);
  const targets = each.targets.map((name) => name.replace(/^(materia:)?(Chat|Person)$/, "materia:Json"));
  // A budget that binds stops a cast sooner where more is done: half of the casts have one that does not.
  const budget = each.seed % 2 === 0 ? {} : { maxTokens: 1_000_000 };
  return { ...each, targets, texts: { ...each.texts, budget, loadouts: Object.fromEntries(loadouts) } };
}

function withoutParallel(texts: Texts): Texts {
  const plain = ({ loops = {}, ...loadout }: LoadoutText): LoadoutText => ({
    ...loadout,
    loops: Object.fromEntries(Object.entries(loops).map(([id, { parallel: _lanes, ...loop }]) => [id, loop])),
  });
  const loadouts = Object.entries(texts.loadouts).map(([name, loadout]) => [name, plain(loadout)] as const);
  return { ...texts, loadouts: Object.fromEntries(loadouts) };
}

interface LawCast {
  readonly each: Case;
  readonly graph: Graph;
  readonly places: ReadonlyMap<string, SocketPlace>;
  /** Decides only who is quicker. */
  readonly speed: number;
}

/** Turns after which nobody follows a cast, and how often a person allows more. */
const LONGEST = 150;
const ALLOWANCES = 12;

async function resultOf({
  each,
  graph,
  places,
  speed,
}: LawCast): Promise<{ result: CastResult; isForked: boolean } | undefined> {
  const { turns, ...world } = repliesOf(each, places, speed);
  const { limits, budget } = each.texts;
  const place = placeOf(graph, { limits: { agentSilenceMs: 0, ...limits }, budget }, world);
  await live(place);
  for (let allowed = 0; allowed < ALLOWANCES && (await isStopped(place)); allowed += 1)
    await live(place, { first: [{ type: "limits_raised", allow: 1 }] });
  if (turns() > LONGEST || (await isStopped(place))) return undefined;
  const events = await eventsOf(place);
  return { result: await resultIn(place, events), isForked: events.some(({ type }) => type === "item_started") };
}

async function isStopped(place: Place): Promise<boolean> {
  const { phase } = await stateOf(place);
  return phase.kind === "ended" && phase.outcome === "failed" && phase.limit !== null;
}

async function stateOf({ store, file }: Place): Promise<CastState> {
  const cast = await store.load(file.castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  return cast.value.state;
}

interface VisitOf {
  readonly socket: string;
  readonly item: string | null;
  /** Names the visit among all of the cast and of its items. */
  readonly visit: string;
}

/** Replies by socket and item, in the order of the visits for that item. Each writes a separate file. */
function repliesOf(each: Case, places: LawCast["places"], speed: number) {
  const world = worldOf(each);
  const visits = new Map<string, string[]>();
  const turnsOf = new Map<string, number>();
  const pace = chanceOf("pace", each.seed, speed);
  const failing = chanceOf("failing", each.seed).pick(0, 0, 0.05, 0.15);
  const idle = chanceOf("idle", each.seed).pick(0, 0.3, 0.8);
  let turns = 0;
  const nameOf = ({ socket, item, visit }: VisitOf): string => {
    const known = visits.get(`${socket} ${item}`) ?? [];
    visits.set(`${socket} ${item}`, known);
    if (!known.includes(visit)) known.push(visit);
    return `${item ?? ""}/${known.indexOf(visit) + 1}`;
  };
  const placeAt = (id: string): SocketPlace => {
    const place = places.get(id);
    if (!place) throw new Error(`the interpreter knows no ${id}`);
    return place;
  };
  return {
    turns: () => turns,
    deed: ({ castId, socket, item, visit }: TurnRequest): AgentAction => {
      turns += 1;
      const key = `${castId} ${socket} ${visit}`;
      const name = nameOf({ socket, item, visit: key });
      const turn = (turnsOf.get(key) ?? 0) + 1;
      turnsOf.set(key, turn);
      if (turns > LONGEST) return { text: "", fails: "nobody follows it any longer" };
      // [R9] Some visits change no file.
      const isIdle = chanceOf("idle", each.seed, socket, name).happens(idle);
      const edits = isIdle ? {} : { [`${socket} ${item}`]: `${name}.${turn}` };
      // [V12] It fails again when the cast goes on: an allowance for an item before resumes this one, too.
      const fails = item !== null && chanceOf("fails", each.seed, socket, name).happens(failing);
      return {
        text: world.reply(placeAt(socket), name, turn),
        edits,
        patience: pace.pick(0, 0, 2, 5, 20),
        ...(fails ? { fails: "no network" } : {}),
      };
    },
    utility: ({ input }: UtilityRequest): UtilityOutcome => {
      const { socketId, itemKey, idempotencyKey } = input as Readonly<Record<string, string>>;
      turns += 1;
      const place = placeAt(String(socketId));
      const name = nameOf({ socket: place.id, item: itemKey ?? null, visit: String(idempotencyKey) });
      if (turns > LONGEST) return { kind: "failed", reason: "nobody follows it any longer", stdout: "", stderr: "" };
      const text = world.reply(place, name, 1, input["state"] as JsonObject); // plain data
      if (!place.materia.gate) return exited(text);
      return { kind: "judged", code: world.exitCode(place, name), stdout: text, stderr: "" };
    },
  };
}

async function resultIn(place: Place, events: readonly CastEvent[]): Promise<CastResult> {
  const { phase, data, givenUp, done } = await stateOf(place);
  const outcome = phase.kind === "ended" ? [phase.outcome, phase.limit?.limit ?? null] : [phase.kind];
  const edges = await edgesIn(place, events);
  // A cast that failed has no result: files of items stay in their trees.
  if (outcome[0] === "failed") return { outcome, edges: {} };
  const { items, itemsDone, itemsGivenUp = 0 } = done;
  return {
    outcome,
    edges,
    counts: { items, itemsDone, itemsGivenUp },
    givenUp,
    state: withoutAfter(data),
    files: Object.fromEntries(Object.entries(place.trees.files()).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** [V3] Only a list that a parallel loop walks has `after`. */
function withoutAfter(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data, (key, value: unknown) => (key === "after" ? undefined : value)));
}

/** The edges of a cast and of its merged items, by walk and item. From an advance to the next item there is none. */
async function edgesIn(place: Place, events: readonly CastEvent[]): Promise<Record<string, string[]>> {
  const edges: Record<string, string[]> = {};
  const children = new Map<string, string>();
  let walks = 0;
  let at = "outside";
  for (const event of events) {
    if (event.type === "loop_entered") {
      walks += 1;
      at = `walk ${walks} item 0`;
    } else if (event.type === "cursor_advanced") at = "advanced";
    else if (event.type === "visit_started") at = event.item ? `walk ${walks} item ${event.item.index}` : "outside";
    else if (event.type === "loop_exhausted") at = "outside";
    else if (event.type === "item_started") children.set(String(event.index), event.child);
    else if (event.type === "loop_joined") at = "advanced";
    else if (event.type === "item_merged") {
      const child = children.get(String(event.index)) as Parameters<typeof eventsOf>[1]; // as it was made
      edges[`walk ${walks} item ${event.index}`] = itemEdges(await eventsOf(place, child));
    } else if (event.type === "edge_taken" && (at !== "advanced" || event.to === END))
      (edges[at] ??= []).push(edgeText(event));
  }
  return Object.fromEntries(Object.entries(edges).filter(([, taken]) => taken.length > 0));
}

function itemEdges(events: readonly CastEvent[]): string[] {
  const end = events.findIndex(({ type }) => type === "cursor_advanced");
  return (end === -1 ? events : events.slice(0, end)).flatMap((event) =>
    event.type === "edge_taken" ? [edgeText(event)] : [],
  );
}

function edgeText(event: EventOf<"edge_taken">): string {
  const { from, to, when, via, index, then, traversal } = event;
  return `${from} ${to} ${when} ${via} ${index}${then ? " then" : ""} ${traversal}`;
}
