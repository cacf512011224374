import { join, sep } from "node:path";
import { parentCastId, type CastId } from "../../core/model/ids.ts";

/** The file of a visit that holds the conversation with its agent. */
export const TRANSCRIPT_FILE = "transcript.jsonl";

/** The file in which a cast stores replies that came with its command. */
export const REHEARSAL_FILE = "rehearsal.json";

/** The names of all files of a cast. No other module composes one. */
export interface CastLayout {
  readonly folder: string;
  readonly castFile: string;
  readonly journal: string;
  readonly sockets: string;
  readonly socketFolder: (socket: string) => string;
  readonly visitFolder: (socket: string, visit: number) => string;
  readonly visitFile: (socket: string, visit: number, name: string) => string;
  /** Large values that several visits share, by their digest; items use the folder of their parent. */
  readonly values: string;
  readonly value: (digest: string) => string;
  readonly owner: string;
  readonly scratch: string;
  readonly claim: (epoch: number) => string;
  readonly lock: string;
  readonly abortRequest: string;
  readonly releaseRequest: string;
  readonly note: (name: string) => string;
  /** The casts of its items, and their working trees. */
  readonly items: string;
  readonly worktreesFolder: string;
  readonly attachment: (name: string) => string;
}

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
export function layoutInFolder(folder: string): CastLayout {
  // `join` normalizes again: a list of many casts would spend most of its time there.
  const sockets = `${folder}${sep}sockets`;
  const owner = `${folder}${sep}owner`;
  const socketFolder = (socket: string): string => join(sockets, socket);
  const visitFolder = (socket: string, visit: number): string => join(sockets, socket, String(visit));
  return {
    folder,
    castFile: `${folder}${sep}cast.json`,
    journal: `${folder}${sep}journal.jsonl`,
    sockets,
    socketFolder,
    visitFolder,
    visitFile: (socket, visit, name) => join(visitFolder(socket, visit), name),
    values: `${folder}${sep}values`,
    value: (digest) => join(folder, "values", `${digest}.json`),
    owner,
    scratch: `${owner}${sep}scratch`,
    claim: (epoch) => join(owner, `${epoch}.json`),
    lock: `${owner}${sep}lock`,
    abortRequest: `${owner}${sep}abort-requested`,
    releaseRequest: `${owner}${sep}release-requested`,
    note: (name) => join(owner, `${name}.json`),
    items: `${folder}${sep}items`,
    worktreesFolder: `${folder}${sep}trees`,
    attachment: (name) => join(folder, name),
  };
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
