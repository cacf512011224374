// A cast with your own agents: node own-agents.mjs
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkProject, loadProject, startCast } from "pi-materia";

const folder = mkdtempSync(join(tmpdir(), "own-agents-"));
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
writeFileSync(join(folder, "line.json"), JSON.stringify(configuration));

const project = loadProject(folder, { config: "line.json" });
if (!project.ok) throw new Error(project.issues[0]?.message);
console.log(`${checkProject(project.value).length} problems`);

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

const cast = await startCast(project.value, { request: "One good line", loadout: "Line", host });
if (!cast.ok) throw new Error(cast.issues[0]?.message);
for await (const event of cast.value.events)
  if (event.type === "edge_taken") console.log(`${event.from} → ${event.to}`);
const end = await cast.value.done;
console.log(end.ok ? end.value.status : end.issues[0]?.message);
process.exitCode = end.ok ? end.value.exitCode : 1;
