import { join, sep } from "node:path";
import { parentCastId, type CastId } from "../../core/model/ids.ts";

/** The file of a visit that holds the conversation with its agent. */
export const TRANSCRIPT_FILE = "transcript.jsonl";

/** The file in which a cast stores replies that came with its command. */
export const REHEARSAL_FILE = "rehearsal.json";

/** The names of all files of a cast. No other module composes one. */
export type CastLayout = ReturnType<typeof layoutInFolder>;

export function castLayout(root: string, castId: CastId): CastLayout {
  const layout = layoutInFolder(join(parentFolderOf(root, castId), castId));
  const parent = parentCastId(castId);
  if (parent === undefined) return layout;
  const { values, value } = castLayout(root, parent);
  return { ...layout, values, value };
}

/** [V6] The folder that holds a cast: for an item that of its parent. */
export function parentFolderOf(root: string, castId: CastId): string {
  const parent = parentCastId(castId);
  return parent === undefined ? root : castLayout(root, parent).items;
}

/** A cast that nobody may see yet has another folder. */
export function layoutInFolder(folder: string) {
  // `join` normalizes again: a list of many casts would spend most of its time there.
  const sockets = `${folder}${sep}sockets`;
  const owner = `${folder}${sep}owner`;
  const visitFolder = (socket: string, visit: number): string => join(sockets, socket, String(visit));
  return {
    folder,
    castFile: `${folder}${sep}cast.json`,
    journal: `${folder}${sep}journal.jsonl`,
    sockets,
    socketFolder: (socket: string): string => join(sockets, socket),
    visitFolder,
    visitFile: (socket: string, visit: number, name: string): string => join(visitFolder(socket, visit), name),
    /** Large values that several visits share, by their digest; items use the folder of their parent. */
    values: `${folder}${sep}values`,
    value: (digest: string): string => join(folder, "values", `${digest}.json`),
    owner,
    scratch: `${owner}${sep}scratch`,
    claim: (epoch: number): string => join(owner, `${epoch}.json`),
    lock: `${owner}${sep}lock`,
    abortRequest: `${owner}${sep}abort-requested`,
    releaseRequest: `${owner}${sep}release-requested`,
    note: (name: string): string => join(owner, `${name}.json`),
    /** The casts of its items, and their working trees. */
    items: `${folder}${sep}items`,
    worktreesFolder: `${folder}${sep}trees`,
    attachment: (name: string): string => join(folder, name),
  } as const;
}

/** [V41] Working trees that ended casts left for reuse; no cast id starts with a dot. */
export function worktreePool(root: string): string {
  return join(root, ".trees");
}

/** [YQ1] The queued requests of a project. */
export function queueFolder(root: string): string {
  return join(root, ".queue");
}

/** The working tree of a cast that has its own; the trees of items have longer names. */
export function ownWorktreeFolder(root: string, castId: CastId): string {
  return join(castLayout(root, castId).worktreesFolder, castId);
}

/** Casts that are being created or removed have names that are no cast ids. */
export const NEW_PREFIX = ".new-";
export const REMOVED_PREFIX = ".removed-";

export function parseClaimEpoch(name: string): number {
  return Number(/^([1-9]\d{0,8})\.json$/.exec(name)?.[1] ?? 0);
}
