import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

/** Before it has done anything, in the middle, or when it was done but nobody heard. */
export type Death = "before" | "middle" | "after";

const PATH = process.env["PATH"] ?? "";
const GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** From now on the call of git of this number is killed. Returns how many there have been. */
export function mortalGit(at: number, when: Death): () => number {
  const folder = mkdtempSync(join(tmpdir(), "materia-mortal-"));
  const [bin, calls] = [join(folder, "bin"), join(folder, "calls")];
  mkdirSync(bin);
  writeFileSync(calls, "");
  const dies = {
    before: "kill -9 $$",
    middle: `'${GIT}' "$@" & pid=$!; sleep 0.002; kill -9 $pid 2>/dev/null; kill -9 $$`,
    after: `'${GIT}' "$@" > /dev/null 2>&1; kill -9 $$`,
  };
  // Counted by the shell itself: a program more for each call takes as long as git does.
  const script = `#!/bin/sh
PATH='${PATH}'
echo >> '${calls}'
n=0; while read -r _; do n=$((n + 1)); done < '${calls}'
if [ $n -eq ${at} ]; then ${dies[when]}; fi
exec '${GIT}' "$@"
`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  onTestFinished(soundGit);
  process.env["PATH"] = `${bin}${delimiter}${PATH}`;
  return () => readFileSync(calls, "utf8").length;
}

/** From now on git is as it was installed. */
export function soundGit(): void {
  process.env["PATH"] = PATH;
}
