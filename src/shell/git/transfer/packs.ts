import { resolve } from "node:path";
import { gitErrorText, runGit, stdoutText } from "../run-git.ts";
import { createHash } from "node:crypto";

type PackOutcome =
  | { readonly kind: "packed"; readonly bytes: Buffer }
  | { readonly kind: "failed"; readonly problem: string };

export interface PackRequest {
  readonly cwd: string;
  /** All that is reachable from these, … */
  readonly include: readonly string[];
  /** … and from none of these: whoever unpacks it has them. */
  readonly exclude: readonly string[];
  readonly maxBytes: number;
}

/** Sources are packed about so many times smaller. */
const COMPRESSION_RATIO = 4;

/** [B35] Files of more bytes than this give no pack that is small enough: they are not read before that is said. */
export function maxReadableBytes(mostPacked: number): number {
  return COMPRESSION_RATIO * mostPacked;
}

/** [B8] Commits with their files, as small as can be told to somebody who has what is left out. */
export async function createPack({ cwd, include, exclude, maxBytes: mostBytes }: PackRequest): Promise<PackOutcome> {
  const input = [...include, ...exclude.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join("");
  const args = ["pack-objects", "-q", "--thin", "--revs", "--stdout", "--delta-base-offset"];
  const made = await runGit(args, { cwd, input, maxBytes: mostBytes });
  if (made.ok) return { kind: "packed", bytes: made.stdout };
  const isLong = made.stdout.length >= mostBytes;
  return { kind: "failed", problem: isLong ? `they are larger than ${mostBytes} bytes` : gitErrorText(made) };
}

/** What is wrong with a pack, if it cannot be taken. */
export async function importPack(cwd: string, bytes: Buffer): Promise<string | undefined> {
  const taken = await runGit(["index-pack", "--stdin", "--fix-thin"], { cwd, input: bytes });
  return taken.ok ? undefined : gitErrorText(taken);
}

/** Where others find the commits that were pushed from here. */
export interface PushedCommits {
  readonly remote: string | null;
  readonly commits: readonly string[];
}

/** [B9] The commits that a worker can fetch for itself. What stands in a url as a password stays here. */
export async function findPushedCommits(cwd: string): Promise<PushedCommits> {
  const asked = await runGit(["config", "--get", "remote.origin.url"], { cwd });
  const remote = asked.ok ? absoluteRemote(withoutPassword(stdoutText(asked)), cwd) : "";
  if (remote === "") return { remote: null, commits: [] };
  const listed = await runGit(["for-each-ref", "--format=%(objectname)", "refs/remotes/origin"], { cwd });
  const commits = [...new Set(stdoutText(listed).split("\n"))].filter((commit) => commit !== "");
  return commits.length === 0 ? { remote: null, commits: [] } : { remote, commits };
}

/** A path is read from the top of the repository, where no worker stands. What has a colon before any slash is none. */
function absoluteRemote(url: string, top: string): string {
  return url === "" || /^[^/]*:/.test(url) ? url : resolve(top, url);
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, (_all, scheme: string) => scheme);
}

/** The branch that HEAD stands on; nothing where it stands on a commit. */
export async function currentBranch(cwd: string): Promise<string | null> {
  const asked = await runGit(["symbolic-ref", "--quiet", "HEAD"], { cwd });
  return asked.ok ? stdoutText(asked) : null;
}

/** Whether the repository that others read has a branch of this name, as far as is known here. */
export async function isBranchPushed(cwd: string, branch: string): Promise<boolean> {
  const ref = branch.replace("refs/heads/", "refs/remotes/origin/");
  return (await runGit(["rev-parse", "--verify", "--quiet", ref], { cwd })).ok;
}

/** How many bytes are joined at once; a larger pack is taken by itself. */
const MAX_JOINED_BYTES = 16_000_000;
/** "PACK", the version and the number of objects stand before the objects; a digest of all behind them. */
const [HEADER, DIGEST] = [12, 20];
const PACK_VERSION = 2;

/**
 * Takes packs that build on each other, first to last. Git has to be started for each pack that it is given, which takes far
 * longer than a small pack does: small ones are joined to one. Answers with what is wrong and with which of them.
 */
export async function importPacks(
  cwd: string,
  packs: readonly Buffer[],
): Promise<{ readonly index: number; readonly wrong: string } | undefined> {
  let index = 0;
  for (const group of groupBySize(packs)) {
    const joined = joinPacks(group);
    // Where they cannot be used so, since one is damaged or an object is in two of them, each is taken for itself.
    if (!joined || (await importPack(cwd, joined)) !== undefined) {
      const wrong = await importEach(cwd, group);
      if (wrong) return { ...wrong, index: index + wrong.index };
    }
    index += group.length;
  }
  return undefined;
}

async function importEach(cwd: string, packs: readonly Buffer[]) {
  for (const [index, pack] of packs.entries()) {
    const wrong = await importPack(cwd, pack);
    if (wrong !== undefined) return { index, wrong };
  }
  return undefined;
}

function groupBySize(packs: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const groups: Buffer[][] = [];
  let bytes = Infinity;
  for (const pack of packs) {
    bytes += pack.length;
    if (bytes > MAX_JOINED_BYTES) {
      groups.push([]);
      bytes = pack.length;
    }
    groups.at(-1)?.push(pack);
  }
  return groups;
}

/** The objects of all of them in one: what they build on is named by digests, or by how far before it stands, and both stay. */
function joinPacks(packs: readonly Buffer[]): Buffer | undefined {
  if (packs.length < 2 || !packs.every(isValidPack)) return undefined;
  const header = Buffer.alloc(HEADER);
  header.write("PACK");
  header.writeUInt32BE(PACK_VERSION, 4);
  header.writeUInt32BE(
    packs.reduce((sum, pack) => sum + pack.readUInt32BE(8), 0),
    8,
  );
  const objects = packs.map((pack) => pack.subarray(HEADER, -DIGEST));
  const body = Buffer.concat([header, ...objects]);
  return Buffer.concat([body, packDigest(body)]);
}

function isValidPack(pack: Buffer): boolean {
  if (pack.length < HEADER + DIGEST || pack.toString("latin1", 0, 4) !== "PACK") return false;
  if (pack.readUInt32BE(4) !== PACK_VERSION) return false;
  return packDigest(pack.subarray(0, -DIGEST)).equals(pack.subarray(-DIGEST));
}

function packDigest(bytes: Buffer): Buffer {
  return createHash("sha1").update(bytes).digest();
}
