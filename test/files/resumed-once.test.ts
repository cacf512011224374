import { expect, it } from "vitest";
import { prepareResume, resumeCast } from "../../src/shell/casting/resume.ts";
import { planGraph, startCast } from "../../src/shell/casting/start.ts";
import { openWorkspace } from "../../src/shell/casting/workspace/workspace.ts";
import type { AgentHost, TurnOutcome } from "../../src/shell/ports.ts";
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

it("[J27] from the command to its end a resumed cast is read once", async () => {
  const cwd = scratchFolder();
  const opened = openWorkspace({ cwd, env: envOf(cwd) });
  if (!opened.ok) throw new Error("there is nothing to refuse");
  const { store, readsOf } = memoryStore();
  const workspace = { ...opened.value, store };
  const plan = planGraph(one, { request: "Judge it.", cwd });
  const { castId } = plan.file;
  await startCast(store, plan, { host: hostThat(broken), signal });
  expect(readsOf(castId)).toBe(0);
  const host = hostThat(said('{"satisfied":true}'));
  const asked = { castId, how: { kind: "recast" }, by: "test", trustsCast: true } as const;
  const ready = await prepareResume(workspace, asked, { openReal: async () => host });
  if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
  const end = await resumeCast(store, ready.value.plan, { host, signal });
  expect(end).toMatchObject({ ok: true, value: { state: { phase: { outcome: "completed" } } } });
  expect(readsOf(castId)).toBe(1);
});
