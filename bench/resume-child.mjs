import { enableCompileCache } from "node:module";

// Not TypeScript itself: what removes its types would have to be loaded for this one file.
enableCompileCache();
const { prepareResume } = await import("../src/shell/casting/resume-cast.ts");
const { loadWorkspace } = await import("../src/shell/workspace/workspace.ts");

/** Resumes a cast as the command line does, with an agent that answers at once, and leaves when it is asked for the first time. */
const [cwd = "", root = "", castId = ""] = process.argv.slice(2);
const workspace = loadWorkspace({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: `${cwd}/config` } }, root);
if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));
const host = {
  preflight: async () => [],
  runTurn: async ({ socket, visit }) => {
    process.stdout.write(`${JSON.stringify({ visit: `${socket} ${visit}` })}\n`);
    return new Promise(() => process.exit(0));
  },
};
const { store } = workspace.value;
const found = await store.find(castId);
if (!found.ok) throw new Error(JSON.stringify(found.issues));
const asked = { castId: found.value, how: { kind: "recast" }, by: "bench", trustsCast: true };
const ready = await prepareResume(workspace.value, asked, { openReal: async () => host });
if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
const resumed = await ready.value.run({ signal: new AbortController().signal });
if (!resumed.ok) throw new Error(JSON.stringify(resumed.issues));
