import { expectSuccess, gitErrorText, gitProblem, runGit, stdoutText } from "../repository.ts";
import { protocolsFor, redirectOptions, type AllowedRemotes } from "./restore-tree.ts";

export async function listRemoteHeads(
  cwd: string,
  remote: string,
  remotes?: AllowedRemotes,
): Promise<ReadonlyMap<string, string>> {
  const args = [...redirectOptions(remotes), "ls-remote", "--heads", "--", remote];
  const answer = await runGit(args, { cwd, env: protocolsFor(remote) });
  if (!answer.ok) throw new Error(`${remote} cannot be read: ${gitErrorText(answer)}`);
  const lines = stdoutText(answer).split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** [B24] Pushes a new branch; an existing one of that name is never moved. */
export function pushNewBranch(
  cwd: string,
  remote: string,
  { ref, commit, remotes }: { readonly ref: string; readonly commit: string; readonly remotes?: AllowedRemotes },
): Promise<string | undefined> {
  const push = ["push", "--quiet", "--no-verify", `--force-with-lease=${ref}:`, "--", remote, `${commit}:${ref}`];
  return gitProblem([...redirectOptions(remotes), ...push], { cwd, env: protocolsFor(remote) });
}

const BATCH_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_BYTES = 20 * 1024 * 1024;

interface FoundObject {
  readonly id: string;
  readonly name: string;
  readonly size: number;
}

/** [B62] All files, and messages of commits, that are reachable from a commit and not from those that the remote has. */
export async function readUnpushedTexts(cwd: string, commit: string, remoteHeads: readonly string[]) {
  const input = [commit, ...remoteHeads.map((each) => `^${each}`)].map((line) => `${line}\n`).join("");
  const listed = expectSuccess(await runGit(["rev-list", "--objects", "--ignore-missing", "--stdin"], { cwd, input }));
  const names = new Map(
    stdoutText(listed)
      .split("\n")
      .map((line): [string, string] => [line.slice(0, line.search(/ |$/)), line.slice(line.search(/ |$/) + 1)]),
  );
  const ids = `${[...names.keys()].join("\n")}\n`;
  const found = stdoutText(expectSuccess(await runGit(["cat-file", "--batch-check"], { cwd, input: ids })))
    .split("\n")
    .flatMap((line): readonly FoundObject[] => {
      const [id = "", type, size] = line.split(" ");
      if (type !== "blob" && type !== "commit") return [];
      const name = type === "commit" ? `the message of commit ${id.slice(0, 12)}` : (names.get(id) ?? id);
      return [{ id, name, size: Number(size) }];
    });
  const tooLarge = found.filter(({ size }) => size > MAX_TEXT_BYTES).map(({ name }) => name);
  const small = found.filter(({ size }) => size <= MAX_TEXT_BYTES);
  return { texts: readObjects(cwd, small), tooLarge };
}

async function* readObjects(cwd: string, found: readonly FoundObject[]) {
  for (let at = 0; at < found.length;) {
    let size = 0;
    const batch: FoundObject[] = [];
    for (let next = found[at]; next && (size === 0 || size + next.size <= BATCH_BYTES); next = found[at]) {
      batch.push(next);
      size += next.size + 1;
      at += 1;
    }
    const input = `${batch.map(({ id }) => id).join("\n")}\n`;
    // A reader would take missing objects for harmless.
    const { stdout } = expectSuccess(await runGit(["cat-file", "--batch"], { cwd, input }));
    let from = 0;
    for (const each of batch) {
      const begin = stdout.indexOf(0x0a, from) + 1;
      yield { name: each.name, text: stdout.toString("utf8", begin, begin + each.size) };
      from = begin + each.size + 1;
    }
  }
}
