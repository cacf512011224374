import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many files a cast changes here, and how many events it has. */
const FILES = 100;
const EVENTS = 10_000;

/** A repository with two checkpoints of 100 files, and the lines of a long journal that names them. */
export function changedFiles(cwd: string): readonly object[] {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], {
      cwd,
      encoding: "utf8",
    }).trim();
  const write = (round: number): void => {
    mkdirSync(join(cwd, "src"), { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      const lines = Array.from({ length: 200 }, (_, line) => `const value${line} = ${line % 10 === 0 ? round : 0};`);
      writeFileSync(join(cwd, "src", `file-${file}.ts`), `${lines.join("\n")}\n`);
    }
  };
  git("init", "-q");
  writeFileSync(join(cwd, ".gitignore"), ".pi\n");
  const commits = [1, 2].map((round) => {
    write(round);
    git("add", "-A");
    git("commit", "-qm", `round ${round}`);
    return git("rev-parse", "HEAD");
  });
  const [before = "", after = ""] = commits;
  const start = { type: "cast_started", castId: "files", request: "Do the work.", loadout: "bench" };
  const files = { commit: after, changed: FILES, added: FILES * 20, removed: FILES * 20 };
  return [
    { ...start, files: { commit: before } },
    { type: "visit_started", socket: "Socket-1", visit: 1, materia: "Plan", item: null },
    ...Array.from({ length: EVENTS - 2 }, () => ({ type: "checkpoint_taken", socket: "Socket-1", visit: 1, files })),
  ];
}

/** What a person waits for who opens the files of a cast: the list, then the first of them. */
export async function filesViewMs(ask: (path: string) => Promise<Response>): Promise<number> {
  const started = performance.now();
  const list = (await (await ask("/api/casts/files/changes")).json()) as { files: { path: string }[] };
  if (!("files" in list)) throw new Error(JSON.stringify(list));
  const path = list.files[0]?.path;
  if (path === undefined) throw new Error("no file was changed");
  const patch = await ask(`/api/casts/files/changes/patch?path=${encodeURIComponent(path)}`);
  if (!patch.ok) throw new Error(await patch.text());
  await patch.json();
  return performance.now() - started;
}
