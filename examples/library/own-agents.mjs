// A cast with your own agents and your own journal: node own-agents.mjs
import {
  compile,
  evaluate,
  mergeLayers,
  plainText,
  readLayer,
  runCast,
  startState,
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
const compiled = compile([{ kind: "loadout", name: "Line" }], catalog);
if (!compiled.ok) throw new Error(compiled.issues.map((issue) => issue.message).join("\n"));
const { graph, flow } = compiled.value;
console.log(`At most ${evaluate(worstCase(graph, flow, catalog.settings.limits).turns, () => 0)} turns.`);

// An agent is anything that answers a turn; a journal is anything that keeps events in order.
const replies = {
  Writer: ["a first line", "a better line"],
  Critic: ['{"satisfied":false,"context":"dull"}', '{"satisfied":true}'],
};
const usage = { input: 0, output: 0, cost: 0 };
const events = [];
const ports = {
  agents: {
    preflight: async () => [],
    runTurn: async ({ materia }) => ({ kind: "said", text: replies[materia].shift(), usage, model: "mine" }),
  },
  runUtility: async () => ({ kind: "failed", reason: "no utilities here", stdout: "", stderr: "" }),
  journal: { append: async (written) => void events.push(...written) },
  artifacts: { visitFolder: () => "", write: async () => undefined, append: async () => undefined },
  now: () => new Date(),
};

const { limits, budget } = catalog.settings;
const start = { castId: "my-cast", request: "One good line", graph, limits, budget, data: {} };
const end = await runCast(startState(start), ports, { cwd: ".", runDir: ".", signal: new AbortController().signal });
console.log(plainText(storyLines(start, events)));
process.exitCode = end.kind === "ended" && end.state.phase.outcome === "completed" ? 0 : 1;
