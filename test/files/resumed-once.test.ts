import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PreparedCast } from "../../src/shell/casting/prepared-cast.ts";
import { prepareResume } from "../../src/shell/casting/resume-cast.ts";
import { planCast, startCast } from "../../src/shell/casting/start-cast.ts";
import { loadWorkspace } from "../../src/shell/workspace/workspace.ts";
import type { AgentHost, TurnOutcome } from "../../src/shell/ports.ts";
import type { CastStore } from "../../src/shell/store/cast-store.ts";
import { scratchFolder } from "../harness/agents.ts";
import { envOf } from "../harness/cli.ts";
import { compiled } from "../harness/play.ts";
import { USAGE, graph, said, seat } from "../harness/seats.ts";
import { memoryStore } from "../harness/store/memory-store.ts";

const signal = new AbortController().signal;
const one = compiled(graph({ "Socket-1": seat("Eval") })).graph;
const broken: TurnOutcome = { kind: "failed", reason: "provider", message: "no answer", usage: USAGE };

function hostThat(answers: TurnOutcome): AgentHost {
  return { preflight: async () => [], runTurn: async () => answers };
}

/** A cast that has failed, and how to go on with it. */
async function stopped(store?: CastStore) {
  const cwd = scratchFolder();
  const opened = loadWorkspace({ cwd, env: envOf(cwd) });
  if (!opened.ok) throw new Error("there is nothing to refuse");
  const workspace = { ...opened.value, store: store ?? opened.value.store };
  const plan = planCast(one, { request: "Judge it.", cwd });
  const { castId } = plan.file;
  await startCast(plan, { store: workspace.store, host: hostThat(broken), signal });
  const prepare = async () => {
    const asked = { castId, how: { kind: "recast" }, by: "test", trustsCast: true } as const;
    const ready = await prepareResume(workspace, asked, { openReal: async () => host });
    if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
    return ready.value;
  };
  const host = hostThat(said('{"satisfied":true}'));
  return {
    castId,
    prepare,
    resume: (ready: PreparedCast) => ready.run({ signal }),
    store: workspace.store,
  };
}

const COMPLETED = { ok: true, value: { state: { phase: { outcome: "completed" } } } };

it("[J27] from the command to its end a resumed cast is read once", async () => {
  const { store, readsOf } = memoryStore();
  const { castId, prepare, resume } = await stopped(store);
  expect(readsOf(castId)).toBe(0);
  expect(await resume(await prepare())).toMatchObject(COMPLETED);
  expect(readsOf(castId)).toBe(1);
});

it("[D1] of two who saw a cast stand still the second finds it completed, and runs nothing again", async () => {
  const { castId, prepare, resume, store } = await stopped(memoryStore().store);
  const [first, second] = [await prepare(), await prepare()];
  expect(await resume(first)).toMatchObject(COMPLETED);
  const before = await store.load(castId);
  expect(await resume(second)).toMatchObject({ ok: false, issues: [{ code: "cast_finished" }] });
  expect(await store.load(castId)).toEqual(before);
});

it("[S14] a trusted cast that changes before it continues is refused and runs nothing", async () => {
  const { castId, prepare, resume, store } = await stopped();
  const ready = await prepare();
  const file = join(store.locationOf(castId), "cast.json");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("Judge it.", "Do worse."));
  expect(await resume(ready)).toMatchObject({ ok: false, issues: [{ code: "bad_cast_file" }] });
  writeFileSync(file, text);
  expect(await resume(ready)).toMatchObject(COMPLETED);
});
