import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diffText, hasCommit, listChanges } from "../../src/shell/git/diff.ts";
import { openCheckpointSession } from "../../src/shell/git/checkpoint-session.ts";
import { findRepository } from "../../src/shell/git/repository.ts";
import { withScratch, median } from "./process.ts";

export interface CheckpointFigures {
  readonly files: number;
  /** The first look at a tree, which reads the person's index. */
  readonly beginMs: number;
  /** A checkpoint after one file was changed and one was added. */
  readonly changedMs: number;
  /** A look that finds nothing. */
  readonly sameMs: number;
  /** What `runDiff` does for one visit. */
  readonly diffMs: number;
}

/** The checkpoints of a cast in a repository of so many files. */
export function measureCheckpoints(files: number, rounds: number): Promise<CheckpointFigures> {
  return withScratch(async (scratch) => {
    const cwd = join(scratch, "project");
    makeRepository(cwd, files);
    const checkpoints = openCheckpointSession({
      castId: "bench",
      cwd,
      store: join(cwd, ".pi"),
      scratch: join(scratch, "shadow"),
      now: () => new Date(),
    });
    const begun = await timed(() => checkpoints.takeFirst());
    let last = commitOf(begun.value);
    const [changed, same, diff]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(join(cwd, "d0", "f0.txt"), `changed ${round}\n`);
      writeFileSync(join(cwd, `new-${round}.txt`), "new\n");
      const since = last;
      const taken = await timed(() => checkpoints.take({ last: since, since, title: "bench" }));
      last = commitOf(taken.value);
      changed.push(taken.ms);
      same.push((await timed(() => checkpoints.take({ last, since: last, title: "bench" }))).ms);
      diff.push((await timed(() => lookAt(cwd, since, last))).ms);
    }
    checkpoints.close();
    return { files, beginMs: begun.ms, changedMs: median(changed), sameMs: median(same), diffMs: median(diff) };
  });
}

export function makeRepository(cwd: string, files: number): void {
  for (let at = 0; at < files; at += 1) {
    const folder = join(cwd, `d${Math.floor(at / 100)}`);
    if (at % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${at % 100}.txt`), `file ${at}\n`.repeat(20));
  }
  const git = (...args: readonly string[]): void => void execFileSync("git", args, { cwd, stdio: "ignore" });
  git("init", "--quiet");
  git("-c", "core.autocrlf=false", "add", "--all");
  git("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "commit", "--quiet", "--message", "all");
}

async function lookAt(cwd: string, from: string, to: string): Promise<void> {
  const found = await findRepository(cwd);
  if (found.kind === "none" || !(await hasCommit(cwd, to))) throw new Error("the checkpoint is not there");
  await diffText({ cwd, from, to }, { form: "patch" });
  await listChanges({ cwd, from, to });
}

function commitOf(taken: object | undefined): string {
  if (taken && "commit" in taken && typeof taken.commit === "string") return taken.commit;
  throw new Error(`no checkpoint was taken: ${JSON.stringify(taken)}`);
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}
