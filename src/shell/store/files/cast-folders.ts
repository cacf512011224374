import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { isMissingFile, errorText } from "../../system/system-error.ts";
import { syncFolder, writeFileSynced } from "../../system/files.ts";
import type { NewCast, OwnedCast } from "../cast-store.ts";
import { firstChainHead } from "./journal-chain.ts";
import { REMOVED_PREFIX, NEW_PREFIX, parentFolderOf, layoutInFolder, castLayout } from "../layout.ts";
import { claimCast, currentOwner } from "./claims.ts";
import { createOwnedCast, type OwnedCastOptions } from "./owned-cast.ts";
import { findCast } from "./read-cast.ts";
import { extractSharedParts } from "./values.ts";

/**
 * Everything of a new cast up to its first event. It is made and claimed under a name that is no cast's, and gets its own as
 * a whole: nobody can take it, prune it or find half of it in between.
 */
export async function createCast(
  casts: string,
  { file, attachments: brings = {} }: NewCast,
  { writeOptions: how, bookmarks }: Pick<OwnedCastOptions, "writeOptions" | "bookmarks">,
): Promise<Result<OwnedCast>> {
  const { castId } = file;
  const root = parentFolderOf(casts, castId);
  const layout = castLayout(casts, castId);
  const unborn = layoutInFolder(join(root, `${NEW_PREFIX}${castId}`));
  const isSynced = how.durability === "sync";
  const write = (path: string, text: string): void =>
    isSynced ? writeFileSynced(path, text) : writeFileSync(path, text, { mode: 0o600 });
  let made: string | undefined;
  try {
    made = mkdirSync(dirname(root), { recursive: true });
    // Only the folder of casts itself is closed to others: what it stands in is the project's.
    const own = mkdirSync(root, { recursive: true, mode: 0o700 });
    made ??= own;
    mkdirSync(unborn.folder, { mode: 0o700 });
    made ??= unborn.folder;
    for (const [name, text] of Object.entries(brings)) write(unborn.attachment(name), text);
    write(unborn.castFile, `${JSON.stringify(extractSharedParts(file, layout, isSynced), undefined, 1)}\n`);
    const mine = await claimCast(unborn, layout);
    if (mine.kind !== "mine") throw new Error(mine.kind === "failed" ? mine.problem : "somebody else has claimed it");
    try {
      // Onto nothing: a cast that is there already is not empty, and stays.
      renameSync(unborn.folder, layout.folder);
      if (isSynced) for (const folder of [layout.folder, ...foldersUpTo(root, made)]) syncFolder(folder);
    } catch (thrown) {
      mine.release();
      throw thrown;
    }
    const removed = removedFolder(root, castId);
    return ok(
      createOwnedCast({
        castId,
        layout,
        removed,
        claim: mine,
        writeOptions: how,
        bookmarks,
        head: firstChainHead(castId),
      }),
    );
  } catch (thrown) {
    // [C3] What could not begin leaves nothing behind.
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    return fail({
      ...error(
        "write_failed",
        "artifactDir",
        `the cast's folder cannot be made: ${errorText(thrown)}`,
        "choose another place with --artifacts",
      ),
      file: layout.folder,
    });
  }
}

/** [D7] From a folder up to the one that holds the first that is new. */
function foldersUpTo(folder: string, made: string): readonly string[] {
  const last = dirname(made);
  return folder === last || dirname(folder) === folder ? [folder] : [folder, ...foldersUpTo(dirname(folder), made)];
}

export function removedFolder(root: string, castId: CastId): string {
  return join(root, `${REMOVED_PREFIX}${castId}`);
}

/** [D20] What is being removed stands under a name that is no cast's: a kill in the middle leaves no half of one. */
export async function removeCasts(root: string, casts: readonly string[]): Promise<Result<readonly string[]>> {
  const removed: string[] = [];
  for (const text of casts) {
    const found = findCast(root, text);
    if (!found.ok) continue;
    const castId = found.value;
    const { folder, ...layout } = castLayout(root, castId);
    // Claimed first: somebody may have resumed it since it was listed. On a full disk nobody can, and removing helps.
    const mine = await claimCast({ folder, ...layout });
    if (mine.kind === "theirs") continue;
    try {
      renameSync(folder, removedFolder(root, castId));
      removed.push(castId);
    } catch (thrown) {
      return fail({ ...error("remove_failed", castId, `it cannot be removed: ${errorText(thrown)}`), file: folder });
    } finally {
      if (mine.kind === "mine") mine.release();
    }
  }
  const swept = sweepLeftOvers(root);
  return swept.ok ? ok(removed) : swept;
}

function sweepLeftOvers(root: string): Result<undefined> {
  try {
    for (const name of readdirSync(root)) if (isLeftOver(root, name)) rmSync(join(root, name), REMOVE_OPTIONS);
    return ok(undefined);
  } catch (thrown) {
    if (isMissingFile(thrown)) return ok(undefined);
    return fail({ ...error("remove_failed", root, `not all could be removed: ${errorText(thrown)}`), file: root });
  }
}

const REMOVE_OPTIONS = { recursive: true, force: true } as const;

/** What a killed prune left, and what a killed process had not brought into being. */
function isLeftOver(root: string, name: string): boolean {
  if (name.startsWith(REMOVED_PREFIX)) return true;
  return name.startsWith(NEW_PREFIX) && !currentOwner(layoutInFolder(join(root, name)));
}
