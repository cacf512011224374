import { gitErrorText, gitProblem, runGit, stdoutText } from "../repository.ts";
import { protocolsFor, redirectOptions, type AllowedRemotes } from "./tree-source.ts";

export type RemoteHeads =
  | { readonly kind: "heads"; readonly commits: ReadonlyMap<string, string> }
  | { readonly kind: "failed"; readonly problem: string };

/** The branches of a repository, each with its commit. */
export async function listRemoteHeads(cwd: string, remote: string, remotes?: AllowedRemotes): Promise<RemoteHeads> {
  const args = [...redirectOptions(remotes), "ls-remote", "--heads", "--", remote];
  const asked = await runGit(args, { cwd, env: protocolsFor(remote) });
  if (!asked.ok) return { kind: "failed", problem: `${remote} cannot be read: ${gitErrorText(asked)}` };
  const lines = stdoutText(asked)
    .split("\n")
    .filter((line) => line !== "");
  return {
    kind: "heads",
    commits: new Map(lines.map((line): [string, string] => [line.slice(41), line.slice(0, 40)])),
  };
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

/** A file, or the message of a commit, that the remote does not have. */
export interface UnpushedText {
  readonly name: string;
  readonly text: string;
}

export type UnpushedTexts =
  | { readonly kind: "texts"; readonly texts: AsyncIterable<UnpushedText>; readonly tooLarge: readonly string[] }
  | { readonly kind: "failed"; readonly problem: string };

const BATCH_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_BYTES = 20 * 1024 * 1024;

interface FoundObject {
  readonly id: string;
  readonly name: string;
  readonly size: number;
}

/** [B62] All objects that are reachable from a commit and not from those that the remote has. */
export async function readUnpushedTexts(cwd: string, commit: string, known: readonly string[]): Promise<UnpushedTexts> {
  const input = [commit, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join("");
  const listed = await runGit(["rev-list", "--objects", "--ignore-missing", "--stdin"], { cwd, input });
  if (!listed.ok) return { kind: "failed", problem: gitErrorText(listed) };
  const names = new Map(
    stdoutText(listed)
      .split("\n")
      .map((line): [string, string] => [line.slice(0, line.search(/ |$/)), line.slice(line.search(/ |$/) + 1)]),
  );
  const sized = await runGit(["cat-file", "--batch-check"], { cwd, input: `${[...names.keys()].join("\n")}\n` });
  if (!sized.ok) return { kind: "failed", problem: gitErrorText(sized) };
  const found = stdoutText(sized)
    .split("\n")
    .flatMap((line): readonly FoundObject[] => {
      const [id = "", type, size] = line.split(" ");
      if (type !== "blob" && type !== "commit") return [];
      const name = type === "commit" ? `the message of commit ${id.slice(0, 12)}` : (names.get(id) ?? id);
      return [{ id, name, size: Number(size) }];
    });
  const tooLarge = found.filter(({ size }) => size > MAX_TEXT_BYTES).map(({ name }) => name);
  const small = found.filter(({ size }) => size <= MAX_TEXT_BYTES);
  return { kind: "texts", texts: readObjects(cwd, small), tooLarge };
}

async function* readObjects(cwd: string, found: readonly FoundObject[]): AsyncIterable<UnpushedText> {
  for (let at = 0; at < found.length;) {
    let size = 0;
    const batch: FoundObject[] = [];
    for (let next = found[at]; next && (size === 0 || size + next.size <= BATCH_BYTES); next = found[at]) {
      batch.push(next);
      size += next.size + 1;
      at += 1;
    }
    const input = `${batch.map(({ id }) => id).join("\n")}\n`;
    const { ok, stdout, ...answer } = await runGit(["cat-file", "--batch"], { cwd, input });
    // A reader would take missing objects for harmless.
    if (!ok) throw new Error(gitErrorText({ ok, stdout, ...answer }));
    let from = 0;
    for (const each of batch) {
      const begin = stdout.indexOf(0x0a, from) + 1;
      yield { name: each.name, text: stdout.toString("utf8", begin, begin + each.size) };
      from = begin + each.size + 1;
    }
  }
}
