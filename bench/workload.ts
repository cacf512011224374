import { mergeLayers } from "../src/core/catalog/catalog.ts";
import { readLayer } from "../src/core/catalog/layer.ts";
import { compileTargets } from "../src/core/compile/targets/compile.ts";
import type { Graph } from "../src/core/compile/graph.ts";
import type { TurnOutcome, TurnRequest } from "../src/shell/ports.ts";

/** A generator with N items, then build → eval → maintain per item: 1 + 3 N steps. */
export function workloadGraph(): Graph {
  const layer = readLayer("explicit", {
    materia: {
      Plan: { prompt: "Plan the work.", generator: true },
      Build: { prompt: "Build the item.", tools: "coding" },
      Eval: { prompt: "Judge the item.", parse: "json" },
      Maintain: { prompt: "Tidy up.", tools: "coding" },
    },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
          "Socket-3": {
            materia: "Eval",
            edges: [
              { when: "satisfied", to: "Socket-4" },
              { when: "not_satisfied", to: "Socket-2", maxTraversals: 3 },
            ],
          },
          "Socket-4": { materia: "Maintain", advance: { when: "always" }, edges: [{ when: "always", to: "Socket-2" }] },
        },
        loops: {
          items: { sockets: ["Socket-2", "Socket-3", "Socket-4"], consumes: { from: "Socket-1", output: "workItems" } },
        },
      },
    },
  });
  const compiled = compileTargets([{ kind: "loadout", name: "Main" }], mergeLayers([layer]));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value.graph;
}

/** A model that answers at once. */
export function instantAgent(items: number): (request: TurnRequest) => Promise<TurnOutcome> {
  const plan = JSON.stringify({
    workItems: Array.from({ length: items }, (_, index) => ({
      title: `Item ${index + 1}`,
      context: `What to do for item ${index + 1}.`,
    })),
  });
  const usage = { input: 100, output: 20, cost: 0 };
  return async ({ materia }) => {
    const text = materia === "Plan" ? plan : materia === "Eval" ? '{"satisfied":true,"context":"fine"}' : "done";
    return { kind: "said", text, usage, model: "instant" };
  };
}
