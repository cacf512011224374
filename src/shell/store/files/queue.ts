import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { wholeNumber } from "../../../core/model/schemas.ts";
import { livenessOf, ProcessIdentity, thisProcess } from "../../process/process-identity.ts";
import { ignoreLocalErrors, linkIfFree, readRegularText, readStoredJson, valueOr } from "../../system/files.ts";
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

/** A queued request. Each is one file, so that two processes never overwrite each other's changes. */
export interface QueuedRequest extends v.InferOutput<typeof QueueEntry> {
  readonly id: string;
  /** The cast that was begun for it. */
  readonly castId?: CastId;
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
      const castId = parseCastId(valueOr(() => readRegularText(markFile(folder, id), MAX_ENTRY_BYTES), "").trim());
      return [{ id, ...entry, ...(castId === undefined ? {} : { castId }) }];
    })
    .toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}

/** [YQ3] Adds a request behind all others; false if its key was used before. */
export function addToQueue(root: string, entry: NewQueueEntry): boolean {
  const folder = queueFolder(root);
  const { key } = entry;
  const id = key === undefined ? randomUUID() : createHash("sha256").update(key).digest("hex");
  if (existsSync(entryFile(folder, id)) || existsSync(markFile(folder, id))) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  ignoreInGit(root);
  const order = Math.max(0, ...listQueue(root).map((each) => each.order)) + 1;
  const draft = writeDraft(folder, { ...entry, order });
  const isAdded = linkIfFree(draft, entryFile(folder, id));
  rmSync(draft, { force: true });
  return isAdded;
}

export function removeFromQueue(root: string, { id }: QueuedRequest): void {
  rmSync(entryFile(queueFolder(root), id), { force: true });
}

export function reorderInQueue(root: string, { id, castId: _begun, ...entry }: QueuedRequest, order: number): void {
  const folder = queueFolder(root);
  renameSync(writeDraft(folder, { ...entry, order }), entryFile(folder, id));
}

/** [YQ6] Written before the cast exists: a killed process begins no request twice. */
export function markBegun(root: string, { id }: QueuedRequest, castId: CastId): void {
  writeFileSync(markFile(queueFolder(root), id), castId, { mode: 0o600, flag: "wx" });
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

/** [YQ7] The right to run the queue; the process that has it if that is another one. Claims are numbered, as those of casts are. */
export function claimQueue(root: string): { readonly release: () => void } | { readonly owner: ProcessIdentity } {
  const folder = queueFolder(root);
  const claims = namesIn(folder).flatMap((name) => Number(/^run-(\d{1,9})$/.exec(name)?.[1] ?? []));
  const newest = Math.max(0, ...claims);
  const owner = readStoredJson(ProcessIdentity, join(folder, `run-${newest}`), MAX_ENTRY_BYTES);
  if (owner && livenessOf(owner) !== "gone") return { owner };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mine = join(folder, `run-${newest + 1}`);
  const draft = writeDraft(folder, thisProcess());
  const isMine = linkIfFree(draft, mine);
  rmSync(draft, { force: true });
  if (!isMine) return { owner: readStoredJson(ProcessIdentity, mine, MAX_ENTRY_BYTES) ?? thisProcess() };
  for (const old of claims) rmSync(join(folder, `run-${old}`), { force: true });
  return { release: () => ignoreLocalErrors(() => rmSync(mine, { force: true })) };
}

function entryFile(folder: string, id: string): string {
  return join(folder, `${id}.json`);
}

function markFile(folder: string, id: string): string {
  return join(folder, `${id}.cast`);
}

function writeDraft(folder: string, value: object): string {
  const draft = join(folder, `.${randomUUID()}.draft`);
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  return draft;
}
