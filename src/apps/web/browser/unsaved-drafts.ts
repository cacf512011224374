import { createStore, type Store, useStore } from "./store.ts";
import * as v from "valibot";

/** Unsaved work, by name. It stays in this browser, for this project, until it is saved or discarded. */
export interface DraftStore<T> extends Store<ReadonlyMap<string, T>> {
  readonly put: (name: string, value: T | null) => void;
  readonly update: (name: string, change: (value: T) => T) => void;
}

/** Encodes a draft for the storage; null if there is nothing to lose. */
export interface DraftCodec<T> {
  readonly write: (value: T) => object | null;
  readonly read: (name: string, kept: unknown) => T | null;
}

interface DraftIndex {
  readonly names: readonly { readonly kind: string; readonly name: string }[];
  /** The storage of the browser is full: drafts are lost with the page. */
  readonly isStorageFull: boolean;
}

export const draftIndex = createStore<DraftIndex>({ names: [], isStorageFull: false });

const KEY_PREFIX = "materia-draft";
/** Groups fast typing into one write; a crash loses at most this much. */
const WRITE_AFTER_MS = 150;

let currentProject: string | null = null;
const draftReaders = new Map<string, (name: string) => void>();

/** Sets the project of the page and returns its stored drafts. */
export function loadProjectDrafts(cwd: string): DraftIndex["names"] {
  if (currentProject === cwd) return [];
  currentProject = cwd;
  refreshDraftIndex();
  const { names } = draftIndex.get();
  for (const { kind, name } of names) draftReaders.get(kind)?.(name);
  return names;
}

export function createDraftStore<T>(kind: string, form: DraftCodec<T>): DraftStore<T> {
  const store = createStore<ReadonlyMap<string, T>>(new Map());
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const name of waiting) writeDraft(kind, name, form, store.get().get(name));
    waiting.clear();
    refreshDraftIndex();
  };
  const load = (name: string): void => {
    if (!waiting.has(name)) store.set(withDraft(store.get(), name, readDraft(kind, name, form)));
  };
  draftReaders.set(kind, load);
  for (const each of draftIndex.get().names) if (each.kind === kind) load(each.name);
  window.addEventListener("pagehide", flush);
  const put = (name: string, value: T | null): void => {
    store.set(withDraft(store.get(), name, value));
    waiting.add(name);
    timer ??= setTimeout(flush, WRITE_AFTER_MS);
  };
  const update = (name: string, change: (value: T) => T): void => {
    const value = store.get().get(name);
    if (value !== undefined) put(name, change(value));
  };
  return { ...store, put, update };
}

/** Another tab saved or discarded a draft. */
window.addEventListener("storage", ({ key }) => {
  const entry = key === null ? null : parseDraftKey(key);
  if (!entry) return;
  refreshDraftIndex();
  draftReaders.get(entry.kind)?.(entry.name);
});

function withDraft<T>(map: ReadonlyMap<string, T>, name: string, value: T | null): ReadonlyMap<string, T> {
  const next = new Map(map);
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}

function writeDraft<T>(kind: string, name: string, { write }: DraftCodec<T>, value: T | undefined): void {
  if (currentProject === null) return;
  const key = JSON.stringify([KEY_PREFIX, currentProject, kind, name]);
  const written = value === undefined ? null : write(value);
  try {
    if (written === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(written));
  } catch {
    draftIndex.set({ ...draftIndex.get(), isStorageFull: true });
  }
}

function readDraft<T>(kind: string, name: string, { read }: DraftCodec<T>): T | null {
  const text = localStorage.getItem(JSON.stringify([KEY_PREFIX, currentProject, kind, name]));
  if (text === null) return null;
  try {
    return read(name, JSON.parse(text));
  } catch {
    // An unreadable draft of another version is useless.
    return null;
  }
}

function refreshDraftIndex(): void {
  const names = Object.keys(localStorage).flatMap((key) => parseDraftKey(key) ?? []);
  draftIndex.set({ ...draftIndex.get(), names });
}

function parseDraftKey(key: string): { readonly kind: string; readonly name: string } | null {
  if (!key.startsWith(`["${KEY_PREFIX}"`)) return null;
  try {
    const [, of, kind, name] = JSON.parse(key) as readonly string[]; // this page alone writes such keys
    return of === currentProject && kind !== undefined && name !== undefined ? { kind, name } : null;
  } catch {
    return null;
  }
}

const textDrafts = createDraftStore<string>("text", {
  write: (text) => (text.trim() === "" ? null : { text }),
  read: (_name, kept) => v.parse(v.object({ text: v.string() }), kept).text,
});

/** A text field that survives its dialog, the page and the server. An empty text removes the draft. */
export function useTextDraft(name: string): readonly [string, (text: string) => void] {
  const text = useStore(textDrafts).get(name) ?? "";
  return [text, (next) => textDrafts.put(name, next)];
}
