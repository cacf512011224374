import { equipmentOf, type Materia } from "../model/materia.ts";
import type { Graph } from "./graph.ts";

/** A program with this word runs outside of every sandbox. */
const NO_SANDBOX = "none";

/** [YP9] The sandbox of a visit. A utility that names none runs in that of the cast's agents. */
export function sandboxOf(graph: Graph, materia: Materia): string | undefined {
  if (materia.type === "person") return undefined;
  const { sandbox = materia.type === "utility" ? agentSandboxes(graph)[0] : undefined } = materia;
  return sandbox === NO_SANDBOX ? undefined : sandbox;
}

/** [YP15] What a visit has of the user's Pi, and its sandbox. */
export function equipmentNames(graph: Graph, materia: Materia): readonly string[] {
  const sandbox = sandboxOf(graph, materia);
  const isOutside = materia.type !== "person" && materia.sandbox === NO_SANDBOX;
  const { skills = [], extensions = [], mcp = [] } = materia.type === "agent" ? equipmentOf(materia) : {};
  return [
    ...skills.map((name) => `skill ${name}`),
    ...extensions.map((name) => `extension ${name}`),
    ...mcp.map((name) => `MCP server ${name}`),
    ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
    ...(isOutside ? ["no sandbox"] : []),
  ];
}

/** Every sandbox of the graph, with the materia that needs it first. */
export function sandboxesOf(graph: Graph): ReadonlyMap<string, string> {
  const needs = Object.entries(graph.materia).flatMap(([name, materia]): (readonly [string, string])[] => {
    const sandbox = sandboxOf(graph, materia);
    return sandbox === undefined ? [] : [[sandbox, name]];
  });
  return new Map(needs.toReversed());
}

/** [YP9] Utilities that do not say in which of several sandboxes they run. */
export function undecidedUtilities(graph: Graph): readonly string[] {
  if (agentSandboxes(graph).length < 2) return [];
  const undecided = ([, materia]: readonly [string, Materia]): boolean =>
    materia.type === "utility" && materia.sandbox === undefined;
  return Object.entries(graph.materia)
    .filter(undecided)
    .map(([name]) => name);
}

function agentSandboxes({ materia }: Graph): readonly string[] {
  const named = Object.values(materia).flatMap((each) => (each.type === "agent" ? (each.sandbox ?? []) : []));
  return [...new Set(named)].filter((name) => name !== NO_SANDBOX);
}
