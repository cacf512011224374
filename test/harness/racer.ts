import { once } from "node:events";
import { prepareResume } from "../../src/shell/casting/resume-cast.ts";
import { loadWorkspace } from "../../src/shell/workspace/workspace.ts";
import type { AgentHost } from "../../src/shell/ports.ts";

/** A process that loads everything, says so, and resumes a cast on request; the one that gets it asks its agent. */
const [cwd = "", castId = ""] = process.argv.slice(2);
const workspace = loadWorkspace({ cwd, env: { HOME: cwd } });
if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));

const host: AgentHost = {
  preflight: async () => [],
  runTurn: async () => {
    process.stdout.write("asked\n");
    await once(process.stdin, "data");
    return { kind: "said", text: "done", usage: { input: 1, output: 1, cost: 0 }, model: "racer" };
  },
};

const found = await workspace.value.store.find(castId);
if (!found.ok) throw new Error(JSON.stringify(found.issues));
const asked = { castId: found.value, how: { kind: "recast" }, by: `racer ${process.pid}` } as const;
const ready = await prepareResume(workspace.value, asked, { openReal: async () => host });
if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
process.stdout.write("ready\n");
await once(process.stdin, "data");
const done = await ready.value.run({ signal: new AbortController().signal });
process.stdout.write(done.ok ? "finished\n" : `refused ${done.issues.map((issue) => issue.message).join("; ")}\n`);
process.stdin.destroy();
