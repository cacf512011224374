import { resolve } from "node:path";
import { readRef } from "../refs.ts";
import { askGit, gitErrorText, gitProblem, runGit, stdoutText } from "../repository.ts";
import { createHash } from "node:crypto";

interface PackRequest {
  readonly cwd: string;
  /** All objects reachable from these, … */
  readonly include: readonly string[];
  /** … and from none of these, which the receiver has. */
  readonly exclude: readonly string[];
  readonly maxBytes: number;
}

/** Sources usually compress by this factor. */
const COMPRESSION_RATIO = 4;

/** [B35] More bytes than this cannot give a small enough pack: they are refused before they are read. */
export function maxReadableBytes(mostPacked: number): number {
  return COMPRESSION_RATIO * mostPacked;
}

/** [B8] Packs commits with their files, as small as possible for a receiver that has the excluded ones. */
export async function createPack({ cwd, include, exclude, maxBytes }: PackRequest) {
  const input = [...include, ...exclude.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join("");
  const args = ["pack-objects", "-q", "--thin", "--revs", "--stdout", "--delta-base-offset"];
  const made = await runGit(args, { cwd, input, maxBytes });
  if (made.ok) return { kind: "packed", bytes: made.stdout } as const;
  const isLong = made.stdout.length >= maxBytes;
  return { kind: "failed", problem: isLong ? `they are larger than ${maxBytes} bytes` : gitErrorText(made) } as const;
}

export function importPack(cwd: string, bytes: Buffer): Promise<string | undefined> {
  return gitProblem(["index-pack", "--stdin", "--fix-thin"], { cwd, input: bytes });
}

/** [B9] The commits that a worker can fetch by itself. A password in the url is removed. */
export async function findPushedCommits(cwd: string) {
  const found = (await askGit(["config", "--get", "remote.origin.url"], { cwd })) ?? "";
  const url = found.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1");
  const listed = await runGit(["for-each-ref", "--format=%(objectname)", "refs/remotes/origin"], { cwd });
  const commits = [...new Set(stdoutText(listed).split("\n"))].filter(Boolean);
  if (url === "" || commits.length === 0) return { remote: null, commits: [] };
  // A relative path is resolved from the top of the repository. A text with a colon before any slash is no path.
  return { remote: /^[^/]*:/.test(url) ? url : resolve(cwd, url), commits };
}

/** True if the remote has a branch of this name, as far as this repository knows. */
export async function isBranchPushed(cwd: string, branch: string): Promise<boolean> {
  return (await readRef(cwd, branch.replace("refs/heads/", "refs/remotes/origin/"))) !== undefined;
}

/** At most this many bytes are joined; a larger pack is imported alone. */
const MAX_JOINED_BYTES = 16_000_000;
/** A header before the objects: "PACK", the version and the number of objects; a digest after them. */
const [HEADER, DIGEST] = [12, 20];
const PACK_VERSION = 2;

/** Imports packs that build on each other. Small ones are joined: starting git costs far more than a small pack. */
export async function importPacks(cwd: string, packs: readonly Buffer[]) {
  let index = 0;
  for (const group of groupBySize(packs)) {
    const joined = joinPacks(group);
    // If one is damaged, or an object is in two of them, each is imported alone.
    const isJoined = joined && (await importPack(cwd, joined)) === undefined;
    for (const [at, pack] of isJoined ? [] : group.entries()) {
      const wrong = await importPack(cwd, pack);
      if (wrong !== undefined) return { index: index + at, wrong };
    }
    index += group.length;
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

/** The objects of all packs in one: they refer to others by digest or by distance, and both stay valid. */
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
