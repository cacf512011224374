import type { Catalog } from "../../../src/core/catalog/catalog.ts";
import type { Graph } from "../../../src/core/compile/graph.ts";
import type { CastState } from "../../../src/core/cast/state/state.ts";
import type { CastEvent, EventBody, EventOf, EventType } from "../../../src/core/cast/state/event.ts";
import type { CastId } from "../../../src/core/model/ids.ts";
import type { CastStep } from "../../../src/core/cast/timeline.ts";
import { NO_USAGE } from "../../../src/core/cast/state/usage.ts";
import { createItemRunner } from "../../../src/shell/items/item-runner.ts";
import type { Ports, TurnRequest, UtilityOutcome, UtilityRequest } from "../../../src/shell/ports.ts";
import { runCast } from "../../../src/shell/run/run-cast.ts";
import type { RunOptions, RunOutcome } from "../../../src/shell/context/run-context.ts";
import { planCast } from "../../../src/shell/casting/start-cast.ts";
import type { CastFile } from "../../../src/shell/store/cast-file.ts";
import type { CastStore, OwnedCast } from "../../../src/shell/store/cast-store.ts";
import { catalogOf, compiled, type TestConfig } from "../../harness/play.ts";
import { TIME, exited } from "../../harness/seats.ts";
import { memoryStore } from "../../harness/store/memory-store.ts";
import { type Files, type MemoryTrees, memoryTrees } from "./memory-trees.ts";

/** What an agent does and says in one turn. */
export interface AgentAction {
  readonly text: string;
  readonly edits?: Files;
  readonly tokens?: number;
  /** Whether it tells what it has used only when it is over. */
  readonly quiet?: boolean;
  /** How many times others may come first. */
  readonly patience?: number;
  readonly fails?: string;
}

export interface Scenario {
  readonly config: TestConfig;
  readonly files?: Files;
  readonly deed: (request: TurnRequest) => AgentAction;
  readonly utility?: (request: UtilityRequest) => string | UtilityOutcome;
  /** Without trees items are worked on one by one. */
  readonly oneByOne?: boolean;
}

/** Where a process is killed: at its n-th append, which was written or was lost. */
export interface Kill {
  readonly at: number;
  readonly written: boolean;
}

export interface Place {
  readonly store: CastStore;
  readonly trees: MemoryTrees;
  readonly file: CastFile;
  readonly scenario: Omit<Scenario, "config">;
  readonly turns: { count: number };
  readonly giveUp: () => void;
  readonly onItemSteps?: (steps: readonly CastStep[]) => void;
}

export function newPlace(scenario: Scenario): Place {
  return placeOf(compiled(scenario.config).graph, catalogOf(scenario.config).settings, scenario);
}

/** A cast of a graph under these limits, before it begins. */
export function placeOf(
  graph: Graph,
  { limits, budget }: Pick<Catalog["settings"], "limits" | "budget">,
  scenario: Omit<Scenario, "config">,
): Place {
  const { store, giveUp } = memoryStore();
  const { file } = planCast(graph, { request: "do it", cwd: "/project", limits, budget });
  const known: string[] = [];
  const remembering: CastStore = {
    ...store,
    create: (cast, how) => {
      known.push(cast.file.castId);
      return store.create(cast, how);
    },
  };
  return {
    store: remembering,
    trees: memoryTrees(scenario.files ?? {}),
    file,
    scenario,
    turns: { count: 0 },
    giveUp: () => known.forEach((castId) => giveUp(castId as CastFile["castId"])), // as it was made
  };
}

export type Life = RunOutcome | undefined;

/** One process: it takes the cast up and drives it to its end, unless it is killed. */
export async function live(
  place: Place,
  {
    kill,
    first = [],
    signal = new AbortController().signal,
    onItemSteps,
  }: {
    kill?: Kill;
    first?: readonly EventBody[];
    signal?: AbortSignal;
    onItemSteps?: (steps: readonly CastStep[]) => void;
  } = {},
): Promise<Life> {
  let appends = 0;
  let die: () => void = () => undefined;
  const killed = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined);
  });
  let dead = false;
  const doomed = (owned: OwnedCast): OwnedCast => ({
    ...owned,
    journal: {
      append: async (events, after) => {
        if (dead) return new Promise(() => undefined);
        appends += 1;
        const isNow = kill !== undefined && appends === kill.at;
        if (isNow) dead = true;
        if (isNow) die();
        if (isNow && !kill.written) return new Promise(() => undefined);
        const problem = await owned.journal.append(events, after);
        return isNow ? new Promise(() => undefined) : problem;
      },
    },
  });
  const run = lifeOf({ ...place, ...(onItemSteps ? { onItemSteps } : {}) }, doomed, first, signal);
  const end = await Promise.race([run, killed]);
  place.giveUp();
  return end;
}

async function lifeOf(
  place: Place,
  doomed: (owned: OwnedCast) => OwnedCast,
  first: readonly EventBody[],
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { store, file } = place;
  const found = await store.find(file.castId);
  const owned = found.ok ? await store.claim(file.castId, {}) : await store.create({ file }, {});
  if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
  const cast = await owned.value.load();
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  const { state } = cast.value;
  if (state.phase.kind === "ended" && state.phase.outcome !== "failed" && state.phase.outcome !== "aborted")
    return { kind: "ended", state };
  const isNew = state.phase.kind === "unstarted";
  const firstEvents = isNew ? [] : [...first, { type: "cast_resumed" as const, by: "test" }];
  return runLife(place, doomed, doomed(owned.value), { state, file, firstEvents, signal });
}

interface LifeRun extends Pick<RunOptions, "firstEvents" | "signal"> {
  readonly state: CastState;
  readonly file: CastFile;
  readonly cwd?: string;
  readonly admit?: Ports["admit"];
}

function runLife(
  place: Place,
  doomed: (owned: OwnedCast) => OwnedCast,
  owned: OwnedCast,
  { state, file, cwd = "/project", firstEvents = [], signal, admit }: LifeRun,
): Promise<RunOutcome> {
  const { store, trees, scenario } = place;
  const isItem = file.window !== undefined;
  const ports = portsOf(place, owned);
  const items = createItemRunner({
    trees,
    file: place.file,
    context: { store, host: ports.agents, signal },
    runOwnedCast: (child, cast, context, firstEventsOf) =>
      runLife(place, doomed, doomed(child), { ...context, ...cast, firstEvents: firstEventsOf({}) }),
  });
  const all: Ports = {
    ...ports,
    ...(isItem || scenario.oneByOne ? {} : { items }),
    ...(admit ? { admit } : {}),
  };
  const observer = isItem && place.onItemSteps ? { onSteps: place.onItemSteps } : {};
  return runCast(state, all, { cwd, firstEvents, signal, ...observer });
}

function portsOf({ trees, scenario, turns }: Place, owned: OwnedCast): Ports {
  return {
    agents: {
      preflight: async () => [],
      runTurn: async (request) => {
        const { text, edits = {}, tokens = 0, patience = 0, fails, quiet = false } = scenario.deed(request);
        turns.count += 1;
        for (let waited = 0; waited < patience; waited += 1) await new Promise((resolve) => setImmediate(resolve));
        if (request.signal.aborted) return { kind: "failed", reason: "aborted", message: "", usage: NO_USAGE };
        const usage = { input: tokens, output: 0, cost: 0 };
        if (!quiet) request.onProgress({ kind: "used", usage });
        if (fails !== undefined) return { kind: "failed", reason: "provider", message: fails, usage };
        trees.edit(request.cwd, edits);
        return { kind: "said", text, usage, model: "test" };
      },
    },
    runUtility: async (request) => {
      const outcome = scenario.utility?.(request) ?? "{}";
      return typeof outcome === "string" ? exited(outcome) : outcome;
    },
    journal: owned.journal,
    artifacts: owned.artifacts,
    holdsClaim: owned.holdsClaim,
    isSuperseded: owned.isSuperseded,
    redact: (text) => text,
    now: () => new Date(TIME),
    pause: async () => undefined,
  };
}

export async function eventsOf({ store, file }: Place, castId: CastId = file.castId): Promise<readonly CastEvent[]> {
  const cast = await store.load(castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  return cast.value.events;
}

export async function eventsOfType<K extends EventType>(place: Place, type: K): Promise<readonly EventOf<K>[]> {
  return (await eventsOf(place)).filter((event) => event.type === type); // filtered by type
}

/** What a cast came to, without what depends on who was quicker. */
export async function endOf({ store, file, trees }: Place): Promise<unknown> {
  const cast = await store.load(file.castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  const { state } = cast.value;
  return { ...summary(state), files: Object.entries(trees.files()).toSorted(([a], [b]) => (a < b ? -1 : 1)) };
}

function summary({ phase, data, satisfied, givenUp, done }: CastState): object {
  const { itemsDone, items, itemsGivenUp = 0 } = done;
  const how = phase.kind === "ended" ? [phase.outcome, phase.limit?.limit ?? null] : [phase.kind];
  return { how, data, satisfied, givenUp, done: { itemsDone, items, itemsGivenUp } };
}
