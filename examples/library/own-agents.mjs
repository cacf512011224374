// A cast of a graph with your own agents: node own-agents.mjs
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compileTargets,
  evaluateFormula,
  fileStore,
  mergeLayers,
  plainText,
  planCast,
  readLayer,
  startCast,
  storyLines,
  worstCase,
} from "pi-materia";

const configuration = {
  materia: {
    Writer: { prompt: "Write one line." },
    Critic: { parse: "json", prompt: "Judge the line." },
  },
  loadouts: {
    Line: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Writer", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Critic",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
            { when: "satisfied", to: "end" },
          ],
        },
      },
    },
  },
};

const catalog = mergeLayers([readLayer("explicit", configuration)]);
const compiled = compileTargets([{ kind: "loadout", name: "Line" }], catalog);
if (!compiled.ok) throw new Error(compiled.issues.map((issue) => issue.message).join("\n"));
const { graph, flow } = compiled.value;
console.log(`At most ${evaluateFormula(worstCase(graph, flow, catalog.settings.limits).turns, () => 0)} turns.`);

// An agent is anything that answers a turn.
const replies = {
  Writer: ["a first line", "a better line"],
  Critic: ['{"satisfied":false,"context":"dull"}', '{"satisfied":true}'],
};
const usage = { input: 0, output: 0, cost: 0 };
const host = {
  preflight: async () => [],
  runTurn: async ({ materia }) => ({ kind: "said", text: replies[materia].shift(), usage, model: "mine" }),
};

// The cast is kept in a folder; what is to be run is a graph and a request, and needs no project around it.
const store = fileStore(mkdtempSync(join(tmpdir(), "own-agents-")));
const { limits, budget } = catalog.settings;
const plan = planCast(graph, { request: "One good line", cwd: process.cwd(), limits, budget });
const done = await startCast(plan, { store, host, signal: new AbortController().signal });
if (!done.ok) throw new Error(done.issues.map((issue) => issue.message).join("\n"));
const cast = await store.load(plan.file.castId);
const { castId, request } = plan.file;
if (cast.ok)
  console.log(plainText(storyLines({ castId, request, graph, limits, budget, data: {} }, cast.value.events)));
process.exitCode = done.value.kind === "ended" && done.value.state.phase.outcome === "completed" ? 0 : 1;
