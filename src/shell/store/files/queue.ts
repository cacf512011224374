import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { CastId } from "../../../core/model/ids.ts";
import { wholeNumber } from "../../../core/model/schemas.ts";
import { livenessOf, ProcessIdentity, thisProcess } from "../../process/process-identity.ts";
import { createFile, ignoreLocalErrors, readStoredJson, replaceFile } from "../../system/files.ts";
import { namesIn } from "../../system/folders.ts";
import { ignoreInGit } from "./cast-folders.ts";
import { queueFolder } from "../layout.ts";

const QueueEntry = v.object({
  request: v.pipe(v.string(), v.minLength(1)),
  order: v.pipe(v.number(), v.finite()),
  loadout: v.exactOptional(v.string()),
  model: v.exactOptional(v.string()),
  budget: v.exactOptional(wholeNumber(0)),
  key: v.exactOptional(v.string()),
});
export type NewQueueEntry = Omit<v.InferOutput<typeof QueueEntry>, "order">;

/** The cast that was begun for a request, and the fleet that has it. */
const BegunCast = v.object({ castId: CastId, fleet: v.exactOptional(v.string()) });
export type BegunCast = v.InferOutput<typeof BegunCast>;

/** A queued request. Each is one file, so that two processes never overwrite each other's changes. */
export interface QueuedRequest extends v.InferOutput<typeof QueueEntry>, Partial<BegunCast> {
  readonly id: string;
}

const MAX_ENTRY_BYTES = 4 * 1024 * 1024;

/** In the order in which they are cast. Damaged files are no requests. */
export function listQueue(root: string): readonly QueuedRequest[] {
  const folder = queueFolder(root);
  return namesIn(folder)
    .flatMap((name) => {
      const id = /^([0-9a-f-]{36,64})\.json$/.exec(name)?.[1];
      const entry = readStoredJson(QueueEntry, join(folder, name), MAX_ENTRY_BYTES);
      if (id === undefined || !entry) return [];
      const begun = readStoredJson(BegunCast, markFile(folder, id), MAX_ENTRY_BYTES);
      return [{ id, ...entry, ...begun }];
    })
    .toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}

/** [YQ3] Adds requests behind all others, without those whose key was used before. Returns how many were added. */
export function addToQueue(
  root: string,
  entries: readonly NewQueueEntry[],
  mark: (entry: QueuedRequest) => void,
): number {
  const folder = queueFolder(root);
  const last = Math.max(0, ...listQueue(root).map(({ order }) => order));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  ignoreInGit(root);
  const added = entries.filter((entry, index) => {
    const { key } = entry;
    const id = key === undefined ? randomUUID() : createHash("sha256").update(key).digest("hex");
    if (existsSync(markFile(folder, id))) return false;
    const made = { ...entry, order: last + 1 + index };
    mark({ id, ...made });
    return createFile(entryFile(folder, id), JSON.stringify(made));
  });
  return added.length;
}

export function removeFromQueue(root: string, { id }: QueuedRequest): void {
  rmSync(entryFile(queueFolder(root), id), { force: true });
}

export function reorderInQueue(
  root: string,
  { id, castId: _begun, fleet: _on, ...entry }: QueuedRequest,
  order: number,
): void {
  replaceFile(entryFile(queueFolder(root), id), JSON.stringify({ ...entry, order }));
}

/** [YQ6] Written before the cast exists: a killed process begins no request twice. */
export function markBegun(root: string, { id }: QueuedRequest, begun: BegunCast): void {
  replaceFile(markFile(queueFolder(root), id), JSON.stringify(begun));
}

export function unmarkBegun(root: string, { id }: QueuedRequest): void {
  rmSync(markFile(queueFolder(root), id), { force: true });
}

/** The cast has ended or waits for a person. The mark of a key stays: it refuses doubles. */
export function finishInQueue(root: string, entry: QueuedRequest): void {
  removeFromQueue(root, entry);
  if (entry.key === undefined) unmarkBegun(root, entry);
}

/** [YQ6] A request whose cast was removed is not cast again. */
export function dropFromQueue(root: string, casts: readonly string[]): void {
  for (const entry of listQueue(root))
    if (entry.castId !== undefined && casts.includes(entry.castId)) finishInQueue(root, entry);
}

/** [YQ7] The process that runs the queue. */
export function queueOwner(root: string): ProcessIdentity | undefined {
  const { owner } = newestClaim(queueFolder(root));
  return owner && livenessOf(owner) !== "gone" ? owner : undefined;
}

function newestClaim(folder: string) {
  const claims = namesIn(folder).flatMap((name) => Number(/^run-(\d{1,9})$/.exec(name)?.[1] ?? []));
  const newest = Math.max(0, ...claims);
  return { claims, newest, owner: readStoredJson(ProcessIdentity, join(folder, `run-${newest}`), MAX_ENTRY_BYTES) };
}

/** [YQ7] The right to run the queue; the process that has it if that is another one. Claims are numbered, as those of casts are. */
export function claimQueue(root: string): { readonly release: () => void } | { readonly owner: ProcessIdentity } {
  const folder = queueFolder(root);
  const { claims, newest, owner } = newestClaim(folder);
  if (owner && livenessOf(owner) !== "gone") return { owner };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mine = join(folder, `run-${newest + 1}`);
  if (!createFile(mine, JSON.stringify(thisProcess())))
    return { owner: readStoredJson(ProcessIdentity, mine, MAX_ENTRY_BYTES) ?? thisProcess() };
  for (const old of claims) ignoreLocalErrors(() => rmSync(join(folder, `run-${old}`), { force: true }));
  return { release: () => ignoreLocalErrors(() => rmSync(mine, { force: true })) };
}

function entryFile(folder: string, id: string): string {
  return join(folder, `${id}.json`);
}

function markFile(folder: string, id: string): string {
  return join(folder, `${id}.cast`);
}
