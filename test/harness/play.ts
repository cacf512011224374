import { mergeLayers, type Catalog } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStart, CastState } from "../../src/core/cast/state/state.ts";
import type { Graph } from "../../src/core/compile/graph.ts";
import { compileTargets, type CompiledChain } from "../../src/core/compile/targets/compile.ts";
import type { CastId, SocketId } from "../../src/core/model/ids.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import type { RunOutcome } from "../../src/shell/context/run-context.ts";
import type { Ports, TurnOutcome, TurnRequest, UtilityOutcome, UtilityRequest } from "../../src/shell/ports.ts";
import { pathText } from "../../src/core/model/issue.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

/** A configuration as a user would write it, with the defaults that a test does not care about. */
export interface TestConfig {
  readonly materia?: Readonly<Record<string, unknown>>;
  readonly loadouts?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, number>>;
  readonly budget?: Readonly<Record<string, number>>;
}

export type Said = string | JsonObject | { readonly fails: string };

export interface Script {
  /** Replies by socket id or materia name, in order; the last one repeats. */
  readonly says?: Readonly<Record<string, readonly Said[]>>;
  readonly utility?: (request: UtilityRequest) => UtilityOutcome;
  readonly request?: string;
  /** Whether the cast is still ours. */
  readonly holds?: () => boolean;
  readonly data?: JsonObject;
}

export interface PlayedCast {
  readonly end: RunOutcome;
  readonly state: CastState;
  readonly events: readonly CastEvent[];
  readonly asked: readonly TurnRequest[];
  /** One short line per event that matters. */
  readonly trace: readonly string[];
}

export function catalogOf(config: TestConfig): Catalog {
  return mergeLayers([readLayer("explicit", { activeLoadout: "Main", ...config }, "test.json")]);
}

export function compiled(config: TestConfig, target = "loadout:Main"): CompiledChain {
  const result = compileTargets(
    [{ kind: target.startsWith("materia:") ? "materia" : "loadout", name: target.replace(/^\w+:/, "") }],
    catalogOf(config),
  );
  if (!result.ok)
    throw new Error(result.issues.map((issue) => `${issue.code} ${pathText(issue.path)}: ${issue.message}`).join("\n"));
  return result.value;
}

export async function play(config: TestConfig, script: Script = {}): Promise<PlayedCast> {
  const { request = "do it", data = {} } = script;
  return playFrom(initialState(startOf(config, { request, data })), script);
}

/** What a cast of the loadout `Main` begins with. */
export function startOf(config: TestConfig, more: Partial<CastStart> = {}): CastStart {
  return startWith(compiled(config).graph, catalogOf(config), more);
}

/** What a cast of a graph begins with, under the limits of its configuration. */
export function startWith(graph: Graph, { settings }: Catalog, more: Partial<CastStart> = {}): CastStart {
  const { limits, budget } = settings;
  const castId = "cast-1" as CastId; // of an id's form
  return { castId, request: "do it", graph, limits, budget, data: {}, ...more };
}

export async function playFrom(state: CastState, script: Script): Promise<PlayedCast> {
  const events: CastEvent[] = [];
  const asked: TurnRequest[] = [];
  const end = await runCast(state, scriptedPorts(script, events, asked), {
    cwd: "/project",
    signal: new AbortController().signal,
  });
  return { end, state: end.state, events, asked, trace: events.flatMap(traceLine) };
}

function scriptedPorts(script: Script, events: CastEvent[], asked: TurnRequest[]): Ports {
  const had = new Map<string, number>();
  return {
    agents: {
      preflight: async () => [],
      runTurn: async (request) => {
        asked.push(request);
        request.onProgress({ kind: "asked", system: request.system });
        return answer(request, script, had);
      },
    },
    runUtility: async (request) =>
      script.utility?.(request) ?? { kind: "exited", stdout: "{}", stdoutCut: false, stderr: "" },
    journal: {
      append: async (written) => {
        events.push(...written);
        return undefined;
      },
    },
    artifacts: {
      folder: "/run",
      pathOf: (socket: SocketId, visit: number, name: string) => `/run/sockets/${socket}/${visit}/${name}`,
      storeValue: async (json: Json) => ({ kind: "kept" as const, json }),
      write: async () => undefined,
      append: async () => undefined,
    },
    holdsClaim: async () => script.holds?.() ?? true,
    isSuperseded: () => false,
    now: () => new Date(0),
    redact: (text: string) => text,
    pause: async () => {},
  };
}

function answer(request: TurnRequest, script: Script, had: Map<string, number>): TurnOutcome {
  const key = script.says && request.socket in script.says ? request.socket : request.materia;
  const replies = script.says?.[key] ?? ["done"];
  const count = had.get(key) ?? 0;
  had.set(key, count + 1);
  const said = replies[Math.min(count, replies.length - 1)] ?? "done";
  const usage = { input: 10, output: 5, cost: 0.01 };
  if (typeof said !== "string" && typeof said["fails"] === "string")
    return { kind: "failed", reason: "provider", message: said["fails"], usage };
  return { kind: "said", text: typeof said === "string" ? said : JSON.stringify(said), usage, model: "test" };
}

function traceLine(event: CastEvent): readonly string[] {
  switch (event.type) {
    case "visit_started":
      return [`${event.socket} #${event.visit}${event.item ? ` ${event.item.title}` : ""}`];
    case "edge_taken":
      return [`-> ${event.to}${event.via === "edge" ? "" : ` (${event.via})`}`];
    case "handoff_rejected":
      return [`rejected ${event.attempt}`];
    case "loop_exhausted":
      return [`exhausted ${event.by}`];
    case "limit_reached":
      return [`limit ${event.limit}`];
    case "cast_waiting":
      return ["waiting"];
    case "cast_ended":
      return [event.outcome];
    default:
      return [];
  }
}

/** The text of each visit of a socket under "Do it again". */
export function reworkOf(asked: readonly TurnRequest[], socket: string): readonly string[] {
  return asked
    .filter((request) => request.socket === socket)
    .map(({ prompt }) => prompt.split("## Do it again\n\n")[1] ?? "");
}
