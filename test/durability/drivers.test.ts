import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { loadWorkspace } from "../../src/shell/workspace/workspace.ts";
import { prepareCast } from "../../src/shell/casting/start-cast.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { envOf, eventsOf, newPlace } from "../harness/cli.ts";
import { typed } from "../harness/doomed.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const RACERS = sweepSize(8, 50);
const racer = fileURLToPath(new URL("../harness/racer.ts", import.meta.url));

interface Racer {
  readonly pid: number;
  readonly line: () => Promise<string>;
  readonly tell: () => void;
}

function enter(cwd: string, castId: string): Racer {
  const child = spawn(process.execPath, [racer, cwd, castId], {
    env: envOf(cwd),
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.on("error", () => undefined);
  return {
    pid: child.pid ?? 0,
    line: async () => String((await lines.next()).value),
    tell: () => void child.stdin.write("go\n"),
  };
}

/** A cast that failed at its first turn; any process may resume it. */
async function failedCast(cwd: string): Promise<string> {
  const workspace = loadWorkspace({ cwd, env: { HOME: cwd } });
  if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));
  const usage = { input: 0, output: 0, cost: 0 };
  const host: AgentHost = {
    preflight: async () => [],
    runTurn: async () => ({ kind: "failed", reason: "provider", message: "down", usage }),
  };
  const link = { targets: [{ kind: "materia", name: "Narrate" } as const], prompt: "Tell." };
  const ready = await prepareCast(workspace.value, link, { openReal: async () => host });
  if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
  await ready.value.run({ signal: new AbortController().signal });
  return ready.value.castId;
}

it(
  `[D14] of ${RACERS} processes that resume a cast at once exactly one does, and the others learn which`,
  SWEEP,
  async () => {
    const cwd = newPlace();
    const castId = await failedCast(cwd);
    const racers = Array.from({ length: RACERS }, () => enter(cwd, castId));
    expect(new Set(await Promise.all(racers.map((each) => each.line())))).toEqual(new Set(["ready"]));
    for (const each of racers) each.tell();
    const answers = await Promise.all(racers.map(async (each) => ({ each, said: await each.line() })));
    const winners = answers.filter(({ said }) => said === "asked").map(({ each }) => each);
    expect(winners.length).toBe(1);
    const [winner] = winners;
    const refusals = answers.filter(({ said }) => said !== "asked").map(({ said }) => said);
    expect(new Set(refusals)).toEqual(
      new Set([expect.stringMatching(`^refused process ${winner?.pid} on \\S+ runs this cast$`)]),
    );
    winner?.tell();
    expect(await winner?.line()).toBe("finished");
    const events = eventsOf(readFileSync(join(cwd, ".pi", "pi-materia", castId, "journal.jsonl"), "utf8"));
    expect(typed(events, "cast_resumed").map(({ by }) => by)).toEqual([`racer ${winner?.pid}`]);
    expect(typed(events, "visit_completed").length).toBe(1);
  },
);
