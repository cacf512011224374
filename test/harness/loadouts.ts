import { evaluateFormula, type TurnFormula, worstCase } from "../../src/core/compile/worst-case.ts";
import { checkTarget } from "../../src/core/compile/targets/compile.ts";
import { type Issue, pathText } from "../../src/core/model/issue.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { catalogOf, compiled, type PlayedCast, type TestConfig } from "./play.ts";

/** One materia of each kind, for graphs in which only the kind matters. */
export const MATERIA = {
  Text: { prompt: "Write." },
  Json: { prompt: "Judge.", parse: "json" },
  Plan: { prompt: "Plan.", generator: true },
  Tool: { type: "utility", command: ["tool"], parse: "json" },
};

export interface SocketInput {
  readonly materia: string;
  readonly parse?: string;
  readonly advance?: object;
  readonly assign?: Readonly<Record<string, string>>;
  readonly edges?: readonly EdgeInput[];
}

export interface EdgeInput {
  readonly when: string;
  readonly to: string;
  readonly maxTraversals?: unknown;
  readonly then?: string;
}

type Sockets = Readonly<Record<string, SocketInput>>;
type Loops = Readonly<Record<string, object>>;

/** The loadout `Main` of these sockets, in which the first is the entry. */
export function main(sockets: Sockets, loops: Loops = {}, part: TestConfig = {}): TestConfig {
  const entry = Object.keys(sockets)[0] ?? "Socket-1";
  return { ...part, materia: { ...MATERIA, ...part.materia }, loadouts: { Main: { entry, sockets, loops } } };
}

export function always(to: string, maxTraversals?: unknown): EdgeInput {
  return edge("always", to, maxTraversals);
}

export function satisfied(to: string, maxTraversals?: unknown): EdgeInput {
  return edge("satisfied", to, maxTraversals);
}

export function notSatisfied(to: string, maxTraversals?: unknown): EdgeInput {
  return edge("not_satisfied", to, maxTraversals);
}

export function edge(when: string, to: string, maxTraversals?: unknown): EdgeInput {
  return maxTraversals === undefined ? { when, to } : { when, to, maxTraversals };
}

/** One socket that makes, and one that judges and may send it back so many times. */
export function judgedPair(maker: string, judge: string, times: number) {
  return {
    "Socket-1": { materia: maker, edges: [always("Socket-2")] },
    "Socket-2": { materia: judge, edges: [notSatisfied("Socket-1", times), satisfied("end")] },
  } as const satisfies Sockets;
}

/** A loop over the list of `Socket-1`. */
export function consuming(sockets: readonly string[], ...exits: readonly object[]): object {
  return { sockets, consumes: { from: "Socket-1", output: "workItems" }, exits };
}

/** An exit, named after what it is. */
export function exit(from: string, condition: string, targetSocketId: string): object {
  return { id: `exit:${from}:${condition}`, from, condition, targetSocketId };
}

/** A list of work items with these titles. */
export function items(...titles: readonly string[]): JsonObject {
  return { workItems: titles.map((title) => ({ title, context: "" })) };
}

/** Every problem of the loadout `Main`. */
export function problemsOf(config: TestConfig): readonly Issue[] {
  const catalog = catalogOf(config);
  const entry = catalog.loadouts.get("Main");
  if (!entry) throw new Error("the configuration has no loadout Main");
  return checkTarget({ kind: "loadout", name: "Main", entry }, catalog, 1).issues;
}

/** The problems as `severity code path`, the path below the loadout. */
export function problems(config: TestConfig): readonly string[] {
  return problemsOf(config).map(
    ({ severity, code, path }) => `${severity} ${code} ${pathText(path).replace("loadouts.Main.", "")}`,
  );
}

export function formulas(config: TestConfig): { readonly turns: TurnFormula; readonly withRepairs: TurnFormula } {
  const { graph, flow } = compiled(config);
  return worstCase(graph, flow, catalogOf(config).settings.limits);
}

/** What a formula allows the cast that was played: each loop counts with the longest list it was entered with. */
export function allowedTurns(formula: TurnFormula, { events }: Pick<PlayedCast, "events">): number {
  return evaluateFormula(formula, (loop) =>
    Math.max(
      0,
      ...events.flatMap((event) => (event.type === "loop_entered" && event.loop === loop ? [event.size] : [])),
    ),
  );
}

export function reasonOf({ events }: Pick<PlayedCast, "events">): string {
  const last = events.at(-1);
  return last?.type === "cast_ended" ? last.reason : "";
}
