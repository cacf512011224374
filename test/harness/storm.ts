import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { totalTokens } from "../../src/core/cast/state/usage.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { planCast } from "../../src/shell/casting/start-cast.ts";
import type { Result } from "../../src/core/model/issue.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import type { OwnedCast } from "../../src/shell/store/cast-store.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { castLayout } from "../../src/shell/store/layout.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import type { RunOutcome } from "../../src/shell/context/run-context.ts";
import { catalogOf, type TestConfig } from "./play.ts";
import { chanceOf, randomConfig, randomMood } from "./random-graph.ts";
import { stormProblems } from "./storm-laws.ts";
import { World, type StandingCast, type Storm } from "./storm-world.ts";
import { castStatus } from "../../src/core/cast/summary.ts";

const MOST_LIVES = 40;
/** After so many lives the weather is calm, so that every cast comes to its end. */
const STORMY_LIVES = 10;

export type StormResult =
  | { readonly kind: "no_graph" }
  | {
      readonly kind: "ended";
      readonly lives: number;
      readonly events: readonly CastEvent[];
      readonly problems: readonly string[];
    };

/** The cast that this number stands for, to its end, and everything that was wrong on the way. */
export async function weather(seed: number, root: string): Promise<StormResult> {
  const storm = gather(seed, root);
  if (!storm) return { kind: "no_graph" };
  const { file, problems, compiled, store } = storm;
  const start = castStartOf(file);
  let standing = await liveOnce(storm, 0, sound(await store.create({ file }, {})), []);
  let lives = 1;
  for (let first = resumption(storm, standing.state, lives); first && lives < MOST_LIVES;) {
    standing = await liveOnce(storm, lives, sound(await store.claim(file.castId, {})), first);
    lives += 1;
    first = resumption(storm, standing.state, lives);
  }
  rmSync(castLayout(root, file.castId).folder, { recursive: true });
  const { events, state } = standing;
  if (state.phase.kind !== "ended") problems.push(`after ${lives} lives the cast is ${state.phase.kind}`);
  const worst = worstCase(compiled.graph, compiled.flow, start.limits).turns;
  return { kind: "ended", lives, events, problems: [...problems, ...stormProblems(start, events, worst)] };
}

function gather(seed: number, root: string): Storm | undefined {
  const chance = chanceOf(seed);
  const drawn = randomConfig(chance, chance.count(1, 6));
  const config: TestConfig = {
    ...drawn,
    materia: { ...drawn.materia, Text: { prompt: "Write.", ...(chance.happens(0.2) ? { interactive: true } : {}) } },
    budget: chance.pick(
      {},
      {},
      { maxTokens: chance.count(3, 60), warnAtPercent: 50 },
      { maxCostUsd: chance.count(1, 9) },
    ),
  };
  const catalog = catalogOf(config);
  const result = compileTargets([{ kind: "loadout", name: "Main" }], catalog);
  if (!result.ok) return undefined;
  const { limits, budget } = catalog.settings;
  // A graph that nothing bounds may go round for ever, as its check says.
  if (worstCase(result.value.graph, result.value.flow, limits).turns === null) return undefined;
  const castId = `storm-${seed}` as CastId; // of an id's form
  const plan = planCast(result.value.graph, { request: "r", cwd: "/project" });
  return {
    chance,
    mood: randomMood(chance),
    compiled: result.value,
    file: { ...plan.file, castId, limits, budget },
    store: fileStore(root),
    layout: castLayout(root, castId),
    problems: [],
  };
}

/** From owning the cast to letting it go or being killed; what is found on the disk afterwards. */
async function liveOnce(
  storm: Storm,
  life: number,
  owned: OwnedCast,
  first: readonly EventBody[],
): Promise<StandingCast> {
  const current = sound(await owned.load());
  const before = sound(await storm.store.load(storm.file.castId));
  const world = new World(storm, owned, before, life < STORMY_LIVES);
  const run = runCast(current.state, world.ports(), {
    cwd: "/project",
    firstEvents: first,
    signal: world.abort.signal,
    onSteps: (steps) => world.hear(steps),
  });
  const end = await Promise.race([run, world.killed]);
  await owned.release();
  if (!end) writeFileSync(storm.layout.claim(owned.epoch), GONE);
  return found(storm, end);
}

/** The claim of a process that was killed: its lock went with it, and nobody let go of the cast. */
const GONE = JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "gone", host: hostname() });

/** [D21] What lies on the disk is what the process thought, and what a listing says. */
async function found({ store, file, problems }: Storm, end: RunOutcome | undefined): Promise<StandingCast> {
  const { state, events, timeline: trail } = sound(await store.load(file.castId));
  const { timeline: current } = sound(await store.current(file.castId));
  if (!isDeepStrictEqual(current, trail))
    problems.push(`its present state is not what ${events.length} events fold to`);
  if (end && JSON.stringify(end.state) !== JSON.stringify(state))
    problems.push(`the ${end.kind} cast is not what its ${events.length} events fold to`);
  const listed = (await store.summary(file.castId))?.status;
  if (listed !== castStatus(state, false)) problems.push(`listed as ${listed}, but it is ${castStatus(state, false)}`);
  return { state, events };
}

function sound<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

/** What a person does about a cast that stands still; nothing when it is over or given up. */
function resumption({ chance }: Storm, { phase, usage }: CastState, life: number): readonly EventBody[] | undefined {
  const resumed: EventBody = { type: "cast_resumed", by: "storm" };
  if (phase.kind === "unstarted") return [];
  if (phase.kind === "waiting") {
    const place = { socket: phase.visit.socket, visit: phase.visit.number };
    const talks = life < STORMY_LIVES && chance.happens(0.3);
    return [
      resumed,
      talks ? { type: "person_answered", ...place, text: "more" } : { type: "person_finished", ...place },
    ];
  }
  if (phase.kind !== "ended") return [resumed];
  if (phase.outcome === "completed" || phase.outcome === "not_satisfied" || life >= STORMY_LIVES) return undefined;
  if (phase.limit === null) return chance.happens(0.9) ? [resumed] : undefined;
  if (chance.happens(0.3)) return undefined;
  if (phase.limit.limit === "maxTokens")
    return [{ type: "limits_raised", maxTokens: totalTokens(usage) + chance.count(0, 20) }, resumed];
  if (phase.limit.limit === "maxCostUsd")
    return [{ type: "limits_raised", maxCostUsd: usage.cost + chance.count(0, 5) }, resumed];
  return [{ type: "limits_raised", allow: chance.count(1, 2) }, resumed];
}
