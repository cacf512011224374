import * as v from "valibot";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import type { CastStart, CastState } from "../../src/core/cast/state/state.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { SocketId } from "../../src/core/model/ids.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { Ports, TurnOutcome, TurnRequest, UtilityOutcome } from "../../src/shell/ports.ts";
import { pathText } from "../../src/core/model/issue.ts";
import { catalogOf, type TestConfig } from "./play.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

type Part = Readonly<Record<string, unknown>>;

/** The materia that tests seat; the names say what each one is. */
const MATERIA: Part = {
  Plan: { prompt: "Plan.", generator: true },
  Build: { prompt: "Build." },
  Eval: { prompt: "Judge.", parse: "json" },
  Talk: { prompt: "Talk.", parse: "json", interactive: true },
  Tell: { prompt: "Tell." },
  Tool: { type: "utility", command: ["tool"], parse: "json" },
  Print: { type: "utility", command: ["print"] },
};

interface More {
  readonly materia?: Part;
  readonly loops?: Part;
  readonly limits?: Readonly<Record<string, number>>;
  readonly budget?: Readonly<Record<string, number>>;
}

/** A loadout of these sockets, entered at the first. */
export function graph(sockets: Readonly<Record<string, Part>>, { materia, loops, ...more }: More = {}): TestConfig {
  const [entry] = Object.keys(sockets);
  return {
    materia: { ...MATERIA, ...materia },
    loadouts: { Main: { entry, sockets, loops: loops ?? {} } },
    ...more,
  };
}

export function seat(materia: string, ...edges: readonly Part[]): Part {
  return { materia, edges };
}

export function always(to: string): Part {
  return { when: "always", to };
}

export function satisfied(to: string): Part {
  return { when: "satisfied", to };
}

export function notSatisfied(to: string, maxTraversals = 10): Part {
  return { when: "not_satisfied", to, maxTraversals };
}

/** Plan → per item: Build → Eval (not satisfied → Build) and on to the next item → Tell. */
export function workshop(more: More = {}): TestConfig {
  return graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Build", always("Socket-3")),
      "Socket-3": {
        ...seat("Eval", notSatisfied("Socket-2"), satisfied("Socket-2")),
        advance: { when: "satisfied" },
      },
      "Socket-4": seat("Tell"),
    },
    { loops: { each: loop(["Socket-2", "Socket-3"], exit("Socket-3", "always", "Socket-4")) }, ...more },
  );
}

export function loop(sockets: readonly string[], ...exits: readonly Part[]): Part {
  return { sockets, consumes: { from: "Socket-1", output: "workItems" }, exits };
}

export function exit(from: string, condition: string, targetSocketId: string): Part {
  return { id: `${from}:${condition}`, from, condition, targetSocketId };
}

export function items(...titles: readonly string[]): JsonObject {
  return { workItems: titles.map((title) => ({ title, context: `about ${title}` })) };
}

export function socket(id: string): SocketId {
  return v.parse(SocketId, id);
}

/** What the check refuses: `code path`, one for each error. */
export function refusals(config: TestConfig): readonly string[] {
  const result = compileTargets([{ kind: "loadout", name: "Main" }], catalogOf(config));
  return result.ok ? [] : result.issues.map((issue) => `${issue.code} ${pathText(issue.path)}`);
}

/** The state that a journal stands for, read back from its own lines. */
export function fold(start: CastStart, events: readonly CastEvent[]): CastState {
  const lines = events.map((event) => JSON.stringify(event));
  return lines.reduce((state, text) => apply(state, JSON.parse(text) as CastEvent), initialState(start)); // written just above
}

/** The state after something that the loop itself does not write: a person's answer, a raised limit. */
export function after(state: CastState, ...bodies: readonly EventBody[]): CastState {
  return bodies.reduce((at, body) => apply(at, { seq: at.seq + 1, at: TIME, ...body }), state);
}

/** A failed cast as `recast --allow N` picks it up again. */
export function raised(state: CastState, allow: number): CastState {
  return after(state, { type: "limits_raised", allow }, { type: "cast_resumed", by: "recast" });
}

export const TIME = "2026-01-02T03:04:05.678Z";
export const USAGE = { input: 3, output: 2, cost: 1 };

export function said(text: string): TurnOutcome {
  return { kind: "said", text, usage: USAGE, model: "test" };
}

export function exited(stdout: string): UtilityOutcome {
  return { kind: "exited", stdout, stdoutCut: false, stderr: "" };
}

interface World extends Ports {
  readonly asked: readonly TurnRequest[];
  /** What was written, append by append. */
  readonly appended: readonly (readonly CastEvent[])[];
}

/** A world where agents answer at once; the rest of its behaviour is given. */
export function world(answer: (request: TurnRequest) => TurnOutcome, part: Partial<Ports> = {}): World {
  const asked: TurnRequest[] = [];
  const appended: (readonly CastEvent[])[] = [];
  return {
    asked,
    appended,
    agents: {
      preflight: async () => [],
      runTurn: async (request) => {
        asked.push(request);
        request.onProgress({ kind: "asked", system: request.system });
        return answer(request);
      },
    },
    runUtility: async () => exited("{}"),
    journal: {
      append: async (events) => {
        appended.push(events);
        return undefined;
      },
    },
    artifacts: {
      folder: "/run",
      pathOf: (id, visit, name) => `/run/sockets/${id}/${visit}/${name}`,
      storeValue: async (json) => ({ kind: "kept", json }),
      write: async () => undefined,
      append: async () => undefined,
    },
    holdsClaim: async () => true,
    isSuperseded: () => false,
    now: () => new Date(TIME),
    redact: (text: string) => text,
    pause: async () => {},
    ...part,
  };
}
