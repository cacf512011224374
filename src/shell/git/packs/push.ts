import { gitErrorText, runGit, stdoutText } from "../run-git.ts";

export type RemoteHeads =
  | { readonly kind: "heads"; readonly commits: ReadonlyMap<string, string> }
  | { readonly kind: "failed"; readonly problem: string };

/** The branches of a repository, each with its commit. */
export async function listRemoteHeads(cwd: string, remote: string): Promise<RemoteHeads> {
  const asked = await runGit(["ls-remote", "--heads", remote], { cwd });
  if (!asked.ok) return { kind: "failed", problem: `${remote} cannot be read: ${gitErrorText(asked)}` };
  const lines = stdoutText(asked)
    .split("\n")
    .filter((line) => line !== "");
  return {
    kind: "heads",
    commits: new Map(lines.map((line): [string, string] => [line.slice(41), line.slice(0, 40)])),
  };
}

/** [B24] A new branch there; what is under its name already is never moved. */
export async function pushNewBranch(
  cwd: string,
  remote: string,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): Promise<string | undefined> {
  const args = ["push", "--quiet", "--no-verify", `--force-with-lease=${ref}:`, remote, `${commit}:${ref}`];
  const pushed = await runGit(args, { cwd });
  return pushed.ok ? undefined : gitErrorText(pushed);
}
