import { openStore, type Store } from "../store.ts";

/** What a person has in hand and has not saved: it stays in this browser, for this project, until it is saved or given up. */
export interface KeptStore<T> extends Store<ReadonlyMap<string, T>> {
  readonly put: (name: string, value: T | null) => void;
}

/** How one of them is written; null where there is nothing to lose. */
export interface KeptForm<T> {
  readonly write: (value: T) => object | null;
  readonly read: (name: string, kept: unknown) => T | null;
}

/** What is kept, of which kind; null until the project is known. */
interface KeptDrafts {
  readonly names: readonly { readonly kind: string; readonly name: string }[];
  /** Whether the browser could not take it: then it is gone with the page. */
  readonly isFull: boolean;
}

export const kept: Store<KeptDrafts> = openStore<KeptDrafts>({ names: [], isFull: false });

const MARK = "materia-draft";
/** Typing fast is one write; a crash loses no more than this. */
const WRITE_AFTER_MS = 150;

let project: string | null = null;
const opened = new Map<string, { readonly load: () => void; readonly loadOne: (name: string) => void }>();

/** Which project the page shows. Returns what was kept of it from before. */
export function openKeptProject(cwd: string): KeptDrafts["names"] {
  if (project === cwd) return [];
  project = cwd;
  listNames();
  for (const { load } of opened.values()) load();
  return kept.get().names;
}

export function openKept<T>(kind: string, form: KeptForm<T>): KeptStore<T> {
  const store = openStore<ReadonlyMap<string, T>>(new Map());
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const name of waiting) writeOne(kind, name, form, store.get().get(name));
    waiting.clear();
    listNames();
  };
  const loadOne = (name: string): void => {
    const value = readOne(kind, name, form);
    if (value !== null) store.set(withName(store.get(), name, value));
  };
  opened.set(kind, {
    load: () => {
      for (const each of kept.get().names) if (each.kind === kind) loadOne(each.name);
    },
    // Another tab has saved it or given it up: this one then reads it from its file.
    loadOne: (name) => {
      if (waiting.has(name)) return;
      store.set(withName(store.get(), name, readOne(kind, name, form)));
    },
  });
  if (project !== null) opened.get(kind)?.load();
  window.addEventListener("pagehide", flush);
  return {
    ...store,
    put: (name, value) => {
      store.set(withName(store.get(), name, value));
      waiting.add(name);
      timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
  };
}

/** What another tab of this project does is done here too. */
window.addEventListener("storage", ({ key }) => {
  const entry = key === null ? null : entryOf(key);
  if (!entry) return;
  listNames();
  opened.get(entry.kind)?.loadOne(entry.name);
});

function withName<T>(map: ReadonlyMap<string, T>, name: string, value: T | null): ReadonlyMap<string, T> {
  const next = new Map(map);
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}

function writeOne<T>(kind: string, name: string, { write }: KeptForm<T>, value: T | undefined): void {
  if (project === null) return;
  const key = JSON.stringify([MARK, project, kind, name]);
  const written = value === undefined ? null : write(value);
  try {
    if (written === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(written));
  } catch {
    kept.set({ ...kept.get(), isFull: true });
  }
}

function readOne<T>(kind: string, name: string, { read }: KeptForm<T>): T | null {
  const text = localStorage.getItem(JSON.stringify([MARK, project, kind, name]));
  if (text === null) return null;
  try {
    return read(name, JSON.parse(text));
  } catch {
    // Of another version of the page: it can no longer be read by anybody.
    return null;
  }
}

function listNames(): void {
  const names = Object.keys(localStorage).flatMap((key) => entryOf(key) ?? []);
  kept.set({ ...kept.get(), names });
}

function entryOf(key: string): { readonly kind: string; readonly name: string } | null {
  if (!key.startsWith(`["${MARK}"`)) return null;
  try {
    const [, of, kind, name] = JSON.parse(key) as readonly string[]; // this page alone writes such keys
    return of === project && kind !== undefined && name !== undefined ? { kind, name } : null;
  } catch {
    return null;
  }
}
