import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { isMissingFile, errorText, syncFolder, ignoreLocalErrors } from "../../system/files.ts";
import type { NewCast, OwnedCast, WriteOptions } from "../cast-store.ts";
import { firstChainHead } from "./journal-chain.ts";
import { REMOVED_PREFIX, NEW_PREFIX, parentFolderOf, layoutInFolder, castLayout } from "../layout.ts";
import { claimCast, currentOwner } from "./claims.ts";
import { createOwnedCast } from "./owned-cast.ts";
import { findCast } from "./read-cast.ts";
import { extractSharedParts } from "./values.ts";

/** Creates a cast, also with its past (T50), and renames it as a whole: nobody claims, prunes or reads a half of it. */
export async function createCast(
  casts: string,
  { file, attachments: brings = {}, writePast }: NewCast,
  how: WriteOptions,
): Promise<Result<OwnedCast>> {
  const { castId } = file;
  const root = parentFolderOf(casts, castId);
  const layout = castLayout(casts, castId);
  const hiddenLayout = layoutInFolder(join(root, `${NEW_PREFIX}${castId}`));
  const isSynced = how.durability === "sync";
  const write = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600, flush: isSynced });
  let made: string | undefined;
  try {
    made = mkdirSync(dirname(root), { recursive: true });
    // Only the folder of casts is closed to others: its parent belongs to the project.
    const rootMade = mkdirSync(root, { recursive: true, mode: 0o700 });
    made ??= rootMade;
    mkdirSync(hiddenLayout.folder, { mode: 0o700 });
    made ??= hiddenLayout.folder;
    for (const [name, text] of Object.entries(brings)) write(hiddenLayout.attachment(name), text);
    write(hiddenLayout.castFile, `${JSON.stringify(extractSharedParts(file, layout, isSynced), undefined, 1)}\n`);
    const mine = await claimCast(hiddenLayout, layout);
    if (mine.kind !== "mine") throw new Error(mine.kind === "failed" ? mine.problem : "another process has claimed it");
    const own = { castId, removed: removedFolder(root, castId), writeOptions: how };
    const head = firstChainHead(castId);
    try {
      if (writePast) {
        const owned = createOwnedCast({
          ...own,
          layout: hiddenLayout,
          claim: { ...mine, release: () => undefined },
          head,
        });
        const problem = await writePast(owned);
        await owned.release();
        if (problem !== undefined) throw new Error(problem);
      }
      // The rename fails on an existing cast, since its folder is not empty.
      renameSync(hiddenLayout.folder, layout.folder);
      if (isSynced) for (const folder of [layout.folder, ...foldersUpTo(root, made)]) syncFolder(folder);
    } catch (thrown) {
      mine.release();
      throw thrown;
    }
    if (root === casts) ignoreInGit(casts);
    return ok(createOwnedCast({ ...own, layout, claim: mine, ...(writePast ? {} : { head }) }));
  } catch (thrown) {
    // [C3] A cast that could not start leaves nothing behind.
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    const message = `cannot create the folder of the cast: ${errorText(thrown)}`;
    const issue = error("write_failed", "artifactDir", message, "choose another folder with --artifacts");
    return fail({ ...issue, file: layout.folder });
  }
}

/** [J23] The folder of casts ignores itself. One with other files is left alone: it would hide them. */
export function ignoreInGit(casts: string): void {
  const file = join(casts, ".gitignore");
  if (existsSync(file)) return;
  const isOurs = (name: string): boolean =>
    name.startsWith(".") || existsSync(castLayout(casts, name as CastId).castFile); // the name of a folder
  // A cast needs no such file.
  ignoreLocalErrors(() => {
    const names = readdirSync(casts);
    if (!names.includes(".git") && !names.includes(".jj") && names.every(isOurs))
      writeFileSync(file, "*\n", { mode: 0o600, flag: "wx" });
  });
}

/** [D7] The new folders, from the innermost to the one that holds the first of them. */
function foldersUpTo(folder: string, made: string): readonly string[] {
  const last = dirname(made);
  return folder === last || dirname(folder) === folder ? [folder] : [folder, ...foldersUpTo(dirname(folder), made)];
}

export function removedFolder(root: string, castId: CastId): string {
  return join(root, `${REMOVED_PREFIX}${castId}`);
}

/** [D20] A cast is renamed before its removal: a kill in the middle leaves no half of a cast. */
export async function removeCasts(root: string, casts: readonly string[]): Promise<Result<readonly string[]>> {
  const removed: string[] = [];
  for (const text of casts) {
    const found = findCast(root, text);
    if (!found.ok) continue;
    const castId = found.value;
    const { folder, ...layout } = castLayout(root, castId);
    // Claimed first: it may have been resumed since the listing. On a full disk nobody can claim it, and removing helps.
    const mine = await claimCast({ folder, ...layout });
    if (mine.kind === "theirs") continue;
    try {
      renameSync(folder, removedFolder(root, castId));
      removed.push(castId);
    } catch (thrown) {
      return fail({ ...error("remove_failed", castId, `cannot remove the cast: ${errorText(thrown)}`), file: folder });
    } finally {
      if (mine.kind === "mine") mine.release();
    }
  }
  const swept = sweepLeftOvers(root);
  return swept.ok ? ok(removed) : swept;
}

function sweepLeftOvers(root: string): Result<undefined> {
  try {
    for (const name of readdirSync(root))
      if (isLeftOver(root, name)) rmSync(join(root, name), { recursive: true, force: true });
    return ok(undefined);
  } catch (thrown) {
    if (isMissingFile(thrown)) return ok(undefined);
    return fail({ ...error("remove_failed", root, `cannot remove all casts: ${errorText(thrown)}`), file: root });
  }
}

/** Removes leftovers of killed prunes and of casts that were never completed. */
function isLeftOver(root: string, name: string): boolean {
  if (name.startsWith(REMOVED_PREFIX)) return true;
  return name.startsWith(NEW_PREFIX) && !currentOwner(layoutInFolder(join(root, name)));
}
