import { askGit, gitErrorText, stdoutParts, runGit, stdoutText } from "../repository.ts";
import { treeOf } from "../diff.ts";
import type { CommitIdentity } from "./item-repository.ts";

type ReplayOutcome =
  | { readonly kind: "replayed"; readonly commit: string }
  | { readonly kind: "conflicted"; readonly tree: string; readonly files: readonly string[]; readonly said: string }
  | { readonly kind: "failed"; readonly problem: string };

export interface ReplayRequest {
  readonly cwd: string;
  readonly base: string;
  readonly commit: string;
  readonly onto: string;
  /** Set if the base is no ancestor of `onto`: the commits between them were dropped, and must not come back. */
  readonly isRewritten?: boolean;
  /** The message of the single commit, if they cannot be replayed one by one. */
  readonly title: string;
  readonly identity: CommitIdentity;
}

/** [V7] Replays the commits between `base` and `commit` on `onto`, with their messages and dates: repeated, it gives the same ids. */
export async function replayCommits(request: ReplayRequest): Promise<ReplayOutcome> {
  const { cwd, commit, onto, base, isRewritten = false } = request;
  const ours = isRewritten ? await commitOnParent(request, onto, base) : onto;
  if (ours === undefined) return { kind: "failed", problem: "cannot read the files of the branch" };
  const merged = await mergeTrees(cwd, ours, commit);
  if (merged.kind !== "clean") return merged;
  const made = (await replayOneByOne(request, merged.tree)) ?? (await squashOnto(request, merged.tree));
  return made === undefined
    ? { kind: "failed", problem: "cannot write the merged commit" }
    : { kind: "replayed", commit: made };
}

type MergeTreeOutcome =
  | { readonly kind: "clean"; readonly tree: string }
  | Exclude<ReplayOutcome, { kind: "replayed" }>;

/** git decides. A refusal and a conflict have the same exit code; only a conflict prints a tree. */
async function mergeTrees(cwd: string, ours: string, theirs: string): Promise<MergeTreeOutcome> {
  // git writes these names into every conflict mark, which an agent reads.
  const sides = [ours, theirs].map((commit) => commit.slice(0, 12));
  const answer = await runGit(["merge-tree", "--write-tree", "-z", "--name-only", ...sides], { cwd });
  const [tree = "", ...rest] = stdoutParts(answer);
  if (!/^[0-9a-f]{40,64}$/.test(tree)) return { kind: "failed", problem: gitErrorText(answer) };
  if (answer.ok) return { kind: "clean", tree };
  if (answer.code !== 1) return { kind: "failed", problem: gitErrorText(answer) };
  const end = rest.indexOf("");
  const files = [...new Set(end === -1 ? rest : rest.slice(0, end))];
  return { kind: "conflicted", tree, files, said: end === -1 ? "" : conflictMessages(rest.slice(end + 1)) };
}

/** `<number of paths> <paths…> <kind> <message>`, repeated. */
function conflictMessages(parts: readonly string[]): string {
  const messages: string[] = [];
  for (let at = 0; at < parts.length;) {
    const paths = Number(parts[at]);
    if (!Number.isInteger(paths)) break;
    const words = parts[at + paths + 2] ?? "";
    if (words.startsWith("CONFLICT")) messages.push(words.trim());
    at += paths + 3;
  }
  return messages.join("\n");
}

/** Undefined if a merge is among them, one of them conflicts, or the result differs from a merge of all. */
async function replayOneByOne(request: ReplayRequest, tree: string): Promise<string | undefined> {
  const { cwd, onto } = request;
  const commits = await listCommits(request);
  if (commits.length === 0 || commits.some(({ parents }) => parents.length !== 1)) return undefined;
  let tip = onto;
  for (const [index, each] of commits.entries()) {
    const isLast = index === commits.length - 1;
    const merged = isLast ? { kind: "clean" as const, tree } : await cherryPick(request, tip, each);
    if (merged?.kind !== "clean") return undefined;
    const copy = { cwd, env: each.env, input: each.words };
    const next = await askGit(["commit-tree", merged.tree, "-p", tip, "-F", "-"], copy);
    if (next === undefined) return undefined;
    tip = next;
  }
  return tip;
}

type ParsedCommit = ReturnType<typeof parseCommit>;

type CommitRange = Pick<ReplayRequest, "cwd" | "base" | "commit">;

/** Oldest first; none if git cannot list them. */
async function listCommits({ cwd, base, commit }: CommitRange): Promise<readonly ParsedCommit[]> {
  const range = ["--reverse", "--date=raw", `${base}..${commit}`];
  const listed = await runGit(["log", LOG_FORMAT, ...range], { cwd });
  return listed.ok ? listed.stdout.toString("utf8").split(COMMIT_END).slice(0, -1).map(parseCommit) : [];
}

const LOG_FORMAT = "--format=%H%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B%x00%(trailers)%x00%x01%x00";
/** No name, date or message of a commit can contain a zero byte. */
const COMMIT_END = "\0\u0001\0\n";

function parseCommit(text: string) {
  const [id = "", parents = "", an = "", ae = "", ad = "", cn = "", ce = "", cd = "", ...texts] = text.split("\0");
  const [words = "", trailers = ""] = texts;
  // As variables for git: the author, and author and committer.
  const author = { GIT_AUTHOR_NAME: an, GIT_AUTHOR_EMAIL: ae, GIT_AUTHOR_DATE: ad };
  const env = { ...author, GIT_COMMITTER_NAME: cn, GIT_COMMITTER_EMAIL: ce, GIT_COMMITTER_DATE: cd };
  return { id, parents: parents.split(" ").filter(Boolean), author, env, words, trailers: trailers.trim() };
}

async function cherryPick(
  request: ReplayRequest,
  tip: string,
  { id, parents: [parent = ""] }: ParsedCommit,
): Promise<MergeTreeOutcome | undefined> {
  const ours = await commitOnParent(request, tip, parent);
  return ours === undefined ? undefined : mergeTrees(request.cwd, ours, id);
}

/** The tree of a commit on another parent: git finds the merge base by history, so it gets a fitting one. */
async function commitOnParent(
  { cwd, identity }: ReplayRequest,
  commit: string,
  parent: string,
): Promise<string | undefined> {
  const tree = await treeOf(cwd, commit);
  if (tree === undefined) return undefined;
  return askGit(["commit-tree", tree, "-p", parent, "-m", "ours"], { cwd, env: await identity() });
}

async function squashOnto(request: ReplayRequest, tree: string): Promise<string | undefined> {
  const { cwd, commit, onto, title, identity } = request;
  const date = stdoutText(await runGit(["show", "-s", "--format=%cd", "--date=raw", commit], { cwd }));
  const { author, words } = await squashMessage(request, title);
  const env = { ...(await identity()), GIT_AUTHOR_DATE: date, ...author, GIT_COMMITTER_DATE: date };
  return askGit(["commit-tree", tree, "-p", onto, "-F", "-"], { cwd, env, input: words });
}

/** [V53] One commit for several. A single message stays as it is; several follow the title, their trailers last. */
export async function squashMessage(range: CommitRange, title: string) {
  const listed = await listCommits(range);
  const commits = listed.filter(({ parents, words }) => parents.length === 1 && words.trim() !== title.trim());
  const last = commits.at(-1);
  if (!last) return { author: {}, words: `${title}\n` };
  if (commits.length === 1) return last;
  const bodies = commits.map(({ words, trailers }) => words.slice(0, words.lastIndexOf(trailers)).trim());
  const authors = commits.map(({ env }) => `${env["GIT_AUTHOR_NAME"]} <${env["GIT_AUTHOR_EMAIL"]}>`);
  const others = authors.filter((name) => name !== authors.at(-1)).map((name) => `Co-authored-by: ${name}`);
  // A line that begins with a blank continues the trailer before it.
  const trailers = [...commits.flatMap((each) => each.trailers.split(/\n(?!\s)/)), ...others].filter(Boolean);
  return {
    author: last.author,
    words: `${[title, ...bodies, [...new Set(trailers)].join("\n")].join("\n\n").trim()}\n`,
  };
}
