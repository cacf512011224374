import { once } from "node:events";
import { resumeCast } from "../../src/shell/casting/resume.ts";
import { openWorkspace } from "../../src/shell/casting/workspace.ts";
import type { AgentHost } from "../../src/shell/ports.ts";

/** A process that loads everything, says so, and resumes a cast when it is told to; the one that gets it asks its agent. */
const [cwd = "", castId = ""] = process.argv.slice(2);
const workspace = openWorkspace({ cwd, env: { HOME: cwd } });
if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));

const host: AgentHost = {
  preflight: async () => [],
  runTurn: async () => {
    process.stdout.write("asked\n");
    await once(process.stdin, "data");
    return { kind: "said", text: "done", usage: { input: 1, output: 1, cost: 0 }, model: "racer" };
  },
};

process.stdout.write("ready\n");
await once(process.stdin, "data");
const done = await resumeCast(
  workspace.value,
  castId,
  { agents: {}, openReal: async () => host, nudge: { kind: "recast" }, by: `racer ${process.pid}` },
  { durability: "write", signal: new AbortController().signal },
);
process.stdout.write(done.ok ? "finished\n" : `refused ${done.issues.map((issue) => issue.message).join("; ")}\n`);
process.stdin.destroy();
