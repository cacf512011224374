import { createHash } from "node:crypto";
import { importPack } from "./packs.ts";

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
