import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rehearsal } from "../../src/core/model/rehearsal.ts";
import { prepareCommand } from "../../src/shell/commands/prepare.ts";
import { runTake } from "../../src/shell/commands/take.ts";
import { loadWorkspace } from "../../src/shell/workspace/workspace.ts";
import { homeIn } from "../new-cast.ts";
import { makeRepository } from "./checkpoints.ts";
import { median, withScratch } from "./process.ts";

export interface ApartFigures {
  readonly files: number;
  /** From the command to its first visit: with a new tree, and with one that was taken before. */
  readonly newMs: number;
  readonly pooledMs: number;
}

/** `cast --worktree` in a repository of so many files. */
export function measureApart(files: number, rounds: number): Promise<ApartFigures> {
  return withScratch(async (scratch) => {
    const cwd = join(scratch, "project");
    makeRepository(cwd, files);
    const place = { cwd, env: { ...homeIn(scratch), PATH: process.env["PATH"] } };
    const folder = join(scratch, "config", "pi", "pi-materia");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "materia.json"), JSON.stringify(CONFIG));
    const newMs = await beginApart(place);
    const pooled: number[] = [];
    for (let round = 0; round < rounds; round += 1) pooled.push(await beginApart(place));
    return { files, newMs, pooledMs: median(pooled) };
  });
}

const CONFIG = {
  activeLoadout: "One",
  materia: { Make: { prompt: "Make it.", tools: "coding", parse: "text" } },
  loadouts: { One: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Make" } } } },
};

const REPLIES: Rehearsal = {
  onEmpty: "fail",
  replies: { Make: [{ tools: [{ name: "write", arguments: { path: "new.txt", content: "new\n" } }], text: "Done." }] },
};

/** Takes the work home afterwards, which leaves the tree for the next cast. */
async function beginApart(place: Parameters<typeof loadWorkspace>[0]): Promise<number> {
  const started = performance.now();
  const workspace = loadWorkspace(place);
  if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));
  const prepared = await prepareCommand(
    { kind: "cast", prompt: "do it", literal: true },
    {
      workspace: workspace.value,
      options: { worktree: true },
      replies: REPLIES,
      openReal: () => Promise.reject(new Error("no model is asked")),
      remember: () => undefined,
    },
  );
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.issues));
  let begun: number | undefined;
  const end = await prepared.value.run({
    signal: new AbortController().signal,
    onSteps: (steps) => {
      if (steps.some(({ event }) => event.type === "visit_started")) begun ??= performance.now() - started;
    },
  });
  if (!end.ok || begun === undefined) throw new Error("the cast did not begin");
  const taken = await runTake(workspace.value, { kind: "take", castId: prepared.value.castId });
  if (!taken.ok) throw new Error(JSON.stringify(taken.issues));
  return begun;
}
