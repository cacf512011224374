import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { spawn } from "node:child_process";
import { repositoryProgramsOff, settingVariables } from "./repository-programs.ts";
import { endProcessGroup } from "../process/processes.ts";
import { gitOptionsFor, gitUserFor } from "../process/tools-user.ts";

export interface Repository {
  /** The top of the working tree; a cast may work in a folder below it. */
  readonly top: string;
  /** git's folder of this working tree with its HEAD and index, and the folder that all working trees share. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectFormat: string;
  /** The commit of HEAD, and its tree. */
  readonly head: string;
  readonly tree: string;
}

export type FoundRepository =
  | { readonly kind: "found"; readonly repository: Repository }
  /** Why there can be no checkpoints, as the end of a sentence. */
  | { readonly kind: "none"; readonly why: string };

/** [Y3] Parallel items need `merge-tree --write-tree`, which this version added. */
const OLDEST_GIT = [2, 38] as const;

/** [Y3] The repository around a folder, or why its files cannot be stored. */
export async function findRepository(cwd: string): Promise<FoundRepository> {
  if (!mayBeInRepository(cwd)) return noRepository(explainMissing(cwd, NO_REPOSITORY));
  const useless = await whyGitUnusable(cwd);
  if (useless !== undefined) return noRepository(useless);
  const folders = ["--is-inside-work-tree", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"];
  const answer = await runGit(["rev-parse", ...folders, "--show-object-format", "HEAD^{commit}", "HEAD^{tree}"], {
    cwd,
  });
  // Without a commit, git still prints the answers before it.
  const [inside, top, gitDir, commonDir, objectFormat, head = "", tree = ""] = stdoutText(answer).split("\n");
  if (inside === "false") return noRepository(`the repository has no working tree${bareHint(cwd)}`);
  if (!top || !gitDir || !commonDir || !objectFormat) return noRepository(explainMissing(cwd, gitErrorText(answer)));
  if (answer.code === null) return noRepository(gitErrorText(answer));
  if (!isObjectId(head) || !isObjectId(tree)) return noRepository("the repository has no commit yet");
  const repository = { top, gitDir, commonDir: resolve(cwd, commonDir), objectFormat, head, tree };
  // [B86] All of a repository is in its working tree, as a worker makes it.
  const isWhole = gitDir === join(top, ".git") && repository.commonDir === gitDir;
  if (gitUserFor(cwd) && !(isWhole && `${realpathSync(cwd)}${sep}`.startsWith(`${top}${sep}`)))
    return noRepository("its .git leads to another repository");
  return { kind: "found", repository };
}

/** A folder with `.git` inside should usually have a working tree. */
function bareHint(cwd: string): string {
  return existsSync(join(cwd, ".git"))
    ? ` ("git config core.bare false" gives it one, if the files here are its own)`
    : "";
}

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** Programs that were recent enough, by PATH: checked once. */
const usableGits = new Set<string | undefined>();

async function whyGitUnusable(cwd: string): Promise<string | undefined> {
  const place = process.env["PATH"];
  if (usableGits.has(place)) return undefined;
  const version = await runGit(["version"], { cwd });
  if (!version.ok) return gitErrorText(version);
  if (!isRecentGit(stdoutText(version))) return `git is older than ${OLDEST_GIT.join(".")}`;
  usableGits.add(place);
  return undefined;
}

const NO_REPOSITORY = "not a git repository";

/** Checks names only, so that a folder outside every repository costs no process. A bare repository has other names. */
export function mayBeInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git")) || existsSync(join(folder, "HEAD"))) return true;
  const above = dirname(folder);
  return above !== folder && mayBeInRepository(above);
}

function explainMissing(cwd: string, complaint: string): string {
  if (existsSync(join(cwd, ".jj"))) return "the repository is one of jj alone";
  if (/dubious ownership/.test(complaint)) return "the repository belongs to another user";
  return complaint.includes(NO_REPOSITORY) ? "there is no git repository" : complaint;
}

function noRepository(why: string): FoundRepository {
  return { kind: "none", why };
}

function isRecentGit(text: string): boolean {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1]);
}

const OPERATIONS: readonly (readonly [string, string])[] = [
  ["MERGE_HEAD", "a merge"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["BISECT_LOG", "a bisection"],
];

/** The operation that git is in the middle of, from the git folder of a working tree. */
export function operationInProgress(gitDir: string): string | undefined {
  return OPERATIONS.find(([name]) => existsSync(join(gitDir, name)))?.[1];
}

export interface GitResult {
  readonly ok: boolean;
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly signal?: AbortSignal;
  /** At most this many bytes of output are read; then git is ended. */
  readonly maxBytes?: number;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** No hook, maintenance, watcher, pager, prompt or check of signatures, regardless of the repository's configuration. */
const SAFE_SETTINGS = [
  "core.hooksPath=/dev/null",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "commit.gpgSign=false",
  "log.showSignature=false",
  "merge.verifySignatures=false",
  "submodule.recurse=false",
  "core.pager=cat",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

/** [B78] The top of a closed tree belongs to root, and git would refuse it. */
const ANY_OWNER = ["-c", "safe.directory=*"];

/** The only function that runs git for the engine. No program that the repository's own configuration names is started. */
export async function runGit(asked: readonly string[], call: GitOptions): Promise<GitResult> {
  // [V47] Inside submodules git would run programs that their configuration names.
  const args = asked[0] === "status" ? ["status", "--ignore-submodules=dirty", ...asked.slice(1)] : asked;
  // A shadow has its own configuration.
  if (call.env?.["GIT_DIR"] !== undefined) return spawnGit(args, call);
  const off = settingVariables(await programsOff(call.cwd));
  return spawnGit(args, { ...call, env: { ...call.env, ...off } });
}

export async function askGit(args: readonly string[], call: GitOptions): Promise<string | undefined> {
  const answer = await runGit(args, call);
  return answer.ok ? stdoutText(answer) : undefined;
}

/** For callers that report a failure at one place: throws what git said. */
export function expectSuccess(answer: GitResult): GitResult {
  if (!answer.ok) throw new Error(gitErrorText(answer));
  return answer;
}

export async function gitProblem(args: readonly string[], call: GitOptions): Promise<string | undefined> {
  const answer = await runGit(args, call);
  return answer.ok ? undefined : gitErrorText(answer);
}

function programsOff(cwd: string): ReturnType<typeof repositoryProgramsOff> {
  return repositoryProgramsOff(cwd, async (list) => {
    const listed = await spawnGit(list, { cwd });
    return listed.ok ? listed.stdout : undefined;
  });
}

/** [V16] Whether the repository's own configuration has filters, which do not run here. */
export async function hasOwnFilters({ top }: Pick<Repository, "top">): Promise<boolean> {
  return (await programsOff(top)).some(([key]) => key.startsWith("filter."));
}

function spawnGit(args: readonly string[], call: GitOptions): Promise<GitResult> {
  return new Promise((settle) => {
    const user = gitUserFor(call.cwd);
    const as = user && gitOptionsFor(user);
    const isRemote = call.env?.["GIT_ALLOW_PROTOCOL"] !== undefined;
    const child = spawn("git", [...SAFE_SETTINGS, ...(as ? ANY_OWNER : []), ...args], {
      cwd: call.cwd,
      ...as,
      detached: isRemote,
      env: { ...gitEnvironment(as?.env), ...call.env },
      stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      ...(call.signal ? { signal: call.signal } : {}),
    });
    // [B87] Transports and programs of a remote would hold the output open for ever.
    const kill = (): unknown =>
      isRemote && child.pid !== undefined ? endProcessGroup(child.pid, 0) : child.kill("SIGKILL");
    const overdue = setTimeout(() => {
      problem ??= `git took longer than ${TIMEOUT_MS / 1000} s`;
      kill();
    }, TIMEOUT_MS);
    const end = (answer: GitResult): void => {
      clearTimeout(overdue);
      settle(answer);
    };
    const chunks: Buffer[] = [];
    let size = 0;
    let errorOutput = "";
    let problem: string | undefined;
    child.stdout?.on("data", (chunk: Buffer) => {
      const room = (call.maxBytes ?? MAX_OUTPUT_BYTES) - size;
      size += chunk.length;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      if (chunk.length > room) {
        problem = "its output is too long";
        kill();
      }
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (errorOutput.length < 8_000) errorOutput += chunk.toString("utf8");
    });
    child.on("error", (thrown) => {
      problem ??= "code" in thrown && thrown.code === "ENOENT" ? "git is not installed" : thrown.message;
      if (isRemote) kill();
      // A program that could not be started emits no `close`.
      if (child.pid === undefined) end({ ok: false, code: null, stdout: Buffer.alloc(0), stderr: problem });
    });
    child.on("close", (code) =>
      end({
        ok: code === 0 && problem === undefined,
        code,
        stdout: Buffer.concat(chunks),
        stderr: problem ?? errorOutput.trim(),
      }),
    );
    // git may end before it has read all of its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(call.input);
  });
}

/** Without variables that point git at another repository, index or configuration. */
function gitEnvironment(ofUser?: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...(ofUser ?? Object.fromEntries(kept)),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // [B77] No call reaches another repository, unless it names its protocol.
    GIT_ALLOW_PROTOCOL: "",
    LC_ALL: "C",
  };
}

const MAX_COMPLAINT = 500;

/** The first line of git's complaint, which a remote may have written. */
export function gitErrorText({ stderr, code }: GitResult): string {
  const [first = ""] = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  const plain = first
    .replace(/^(fatal|error): /, "")
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, MAX_COMPLAINT);
  return plain || `git ended with ${code ?? "a signal"}`;
}

export function stdoutText({ stdout }: GitResult): string {
  return stdout.toString("utf8").trim();
}

/** The parts of an answer that end with a zero byte each; names may hold anything else. */
export function stdoutParts({ stdout }: GitResult): readonly string[] {
  const text = stdout.toString("utf8");
  return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

/** For git in another folder: inside a git hook the environment names the hook's repository. */
export function environmentOutsideHooks(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG)/.test(name)));
}
