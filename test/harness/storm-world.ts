import { statSync, truncateSync } from "node:fs";
import type { CastStep } from "../../src/core/cast/timeline.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { totalTokens } from "../../src/core/cast/state/usage.ts";
import type { CompiledChain } from "../../src/core/compile/targets/compile.ts";
import { materiaOf, socketOf } from "../../src/core/compile/graph.ts";
import type { CastFile } from "../../src/shell/store/cast-file.ts";
import type { CastStore, OwnedCast } from "../../src/shell/store/cast-store.ts";
import type { CastLayout } from "../../src/shell/store/layout.ts";
import type { Ports, TurnOutcome, TurnRequest, UtilityOutcome } from "../../src/shell/ports.ts";
import { randomReply, type Chance, type Mood } from "./random-graph.ts";

/** One cast of a random graph through random weather. */
export interface Storm {
  readonly chance: Chance;
  readonly mood: Mood;
  readonly compiled: CompiledChain;
  readonly file: CastFile;
  readonly store: CastStore;
  readonly layout: CastLayout;
  readonly problems: string[];
}

/** A cast as its journal tells it. */
export interface StandingCast {
  readonly state: CastState;
  readonly events: readonly CastEvent[];
}

/** The world of one life. Once it is killed nothing in it ever answers. */
export class World {
  readonly abort = new AbortController();
  readonly killed: Promise<undefined>;
  readonly #storm: Storm;
  readonly #owned: OwnedCast;
  readonly #stormy: boolean;
  readonly #completed: Set<string>;
  readonly #die: () => void;
  #state: CastState;
  #dead = false;

  constructor(storm: Storm, owned: OwnedCast, before: StandingCast, stormy: boolean) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.killed = promise;
    this.#die = () => resolve(undefined);
    this.#storm = storm;
    this.#owned = owned;
    this.#stormy = stormy;
    this.#state = before.state;
    this.#completed = new Set(before.events.flatMap(completedVisit));
  }

  hear(steps: readonly CastStep[]): void {
    for (const { event, after } of steps) {
      for (const visit of completedVisit(event)) this.#completed.add(visit);
      this.#state = after;
    }
  }

  ports(): Ports {
    const { chance } = this.#storm;
    const { artifacts, holdsClaim: holds, isSuperseded } = this.#owned;
    const write = async (): Promise<string | undefined> => {
      if (this.#strikes(0.004)) return this.#kill();
      return this.#strikes(0.004) ? "the disk is full" : undefined;
    };
    return {
      agents: { preflight: async () => [], runTurn: (request) => this.#turn(request) },
      runUtility: () => this.#utility(),
      journal: { append: (events) => this.#append(events) },
      // What visits leave is not looked at here: files of many thousand visits would take longer than all the rest.
      artifacts: { ...artifacts, write, append: write },
      holdsClaim: holds,
      isSuperseded,
      // [D21] The clock of a laptop jumps, also back.
      now: () => new Date(chance.count(0, 2 ** 31) * 1000),
      redact: (text: string) => text,
      pause: async () => {},
    };
  }

  #strikes(probability: number): boolean {
    return this.#stormy && this.#storm.chance.happens(probability);
  }

  #kill(): Promise<never> {
    this.#dead = true;
    this.#die();
    return new Promise(() => undefined);
  }

  async #append(events: readonly CastEvent[]): Promise<string | undefined> {
    const { chance, layout } = this.#storm;
    const { journal } = this.#owned;
    const after = (events[0]?.seq ?? 1) - 1;
    for (let wait = this.#stormy ? chance.count(0, 3) : 0; wait > 0; wait -= 1) await Promise.resolve();
    if (this.#dead || this.#strikes(0.02)) return this.#kill();
    const tear = async (some: readonly CastEvent[]): Promise<void> => {
      const size = sizeOf(layout.journal);
      await journal.append(some, after);
      truncateSync(layout.journal, size + chance.count(0, sizeOf(layout.journal) - size - 1));
    };
    if (this.#strikes(0.03)) {
      await tear(events);
      return this.#kill();
    }
    if (this.#strikes(0.02)) {
      // Mostly the part that was written can be taken back.
      if (chance.happens(0.3)) await tear(events.slice(0, 1));
      return "cannot write the journal: the disk is full";
    }
    const problem = await journal.append(events, after);
    return this.#strikes(0.03) ? this.#kill() : problem;
  }

  /** [D21] What is over is not done again, and nothing is begun beyond a limit. */
  async #examine(): Promise<string | undefined> {
    const { problems, file, store } = this.#storm;
    const { phase, usage, budget } = this.#state;
    if (phase.kind !== "visiting") {
      problems.push(`something is done while the cast is ${phase.kind}`);
      return undefined;
    }
    const visit = `${phase.visit.socket} ${phase.visit.number}`;
    if (this.#completed.has(visit)) problems.push(`visit ${visit} is over and done again`);
    const isAgent = materiaOf(file.graph, socketOf(file.graph, phase.visit.socket)).type === "agent";
    if (isAgent && totalTokens(usage) >= (budget.maxTokens ?? Infinity))
      problems.push(`a turn beyond ${budget.maxTokens} tokens`);
    if (isAgent && usage.cost > 0 && usage.cost >= (budget.maxCostUsd ?? Infinity))
      problems.push(`a turn beyond $${budget.maxCostUsd}`);
    if (this.#storm.chance.happens(0.05)) {
      const listed = (await store.summary(file.castId))?.status;
      if (listed !== "running") problems.push(`it runs, and is listed as ${listed}`);
    }
    return phase.visit.socket;
  }

  async #turn(request: TurnRequest): Promise<TurnOutcome> {
    const { chance, mood, file } = this.#storm;
    await this.#examine();
    const usage = { input: chance.count(0, 3), output: chance.count(0, 2), cost: chance.count(0, 1) };
    if (this.#strikes(0.02)) return this.#kill();
    request.onProgress({ kind: "asked", system: request.system });
    for (let retry = 1; this.#strikes(0.1); retry += 1) {
      request.onProgress({ kind: "retrying", attempt: retry, delayMs: 1, error: "overloaded" });
      await Promise.resolve();
      if (this.#strikes(0.1)) return this.#kill();
    }
    if (this.#strikes(0.03)) this.abort.abort();
    if (request.signal.aborted && chance.happens(0.7))
      return { kind: "failed", reason: "aborted", message: "aborted", usage };
    if (this.#strikes(0.04))
      return { kind: "failed", reason: chance.pick("provider", "timeout", "overflow"), message: "no reply", usage };
    const text = randomReply(chance, mood, file.graph, socketOf(file.graph, request.socket));
    return { kind: "said", text, usage, model: "storm" };
  }

  async #utility(): Promise<UtilityOutcome> {
    const { chance, mood, file } = this.#storm;
    const socket = await this.#examine();
    if (this.#strikes(0.02)) return this.#kill();
    if (this.#strikes(0.03)) this.abort.abort();
    if (socket === undefined || this.#strikes(0.03))
      return { kind: "failed", reason: "exited with code 1", stdout: "", stderr: "" };
    const stdout = randomReply(chance, mood, file.graph, socketOf(file.graph, socket as TurnRequest["socket"]));
    return { kind: "exited", stdout, stdoutCut: false, stderr: "" };
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function completedVisit(event: CastEvent): readonly string[] {
  return event.type === "visit_completed" ? [`${event.socket} ${event.visit}`] : [];
}
