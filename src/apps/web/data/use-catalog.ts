import { useEffect } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { loadProjectDrafts } from "../browser/unsaved-drafts.ts";
import { firstView } from "../browser/first-view.ts";
import { createStore, useStore } from "../browser/store.ts";
import { getCatalog, getEquipment, getModels, grantTrust } from "../net/api.ts";
import { onReconnect } from "../net/follow.ts";
import { toast } from "../ui/toasts.tsx";
import type { CatalogResponse } from "../../../core/wire/catalog.ts";
import type { FetchResult } from "../net/request.ts";

/** The catalog of the current files. The last one stays during a reload. */
const catalogStore = createStore<{
  readonly catalog: Catalog | null;
  readonly layers: CatalogResponse["layers"] | null;
  readonly cwd: string | null;
  /** [B26] The fleet that has the casts; null for casts on this machine. */
  readonly fleet: string | null;
  readonly trust: CatalogResponse["trust"] | null;
  readonly issues: readonly Issue[];
}>({ catalog: null, layers: null, cwd: null, fleet: null, trust: null, issues: [] });

let isRequested = false;

export async function loadCatalog(): Promise<void> {
  isRequested = true;
  const read = await getCatalog();
  if (!read.ok) return catalogStore.set({ ...catalogStore.get(), issues: read.issues });
  const { layers, cwd, fleet, trust, settings, materia, loadouts, issues } = read.value;
  const catalog = { settings, materia: entriesByName(materia), loadouts: entriesByName(loadouts), issues };
  const back = loadProjectDrafts(cwd).filter(({ kind }) => kind !== "text");
  if (back.length > 0)
    toast({ text: `Your unsaved work is still here: ${[...new Set(back.map(({ name }) => name))].join(", ")}.` });
  return catalogStore.set({ catalog, layers, cwd, fleet, trust, issues: [] });
}

onReconnect(() => void loadCatalog());

/** For code outside of components. */
export function currentCatalog(): Catalog | null {
  return catalogStore.get().catalog;
}

/** Loaded once: the server reports every change of a configuration file. */
export function useCatalog() {
  useEffect(() => void firstView.then(loadCatalogOnce), []);
  return useStore(catalogStore);
}

/** Of the pages that show it. */
export function loadCatalogOnce(): void {
  if (!isRequested) void loadCatalog();
}

/** An answer of the server, asked once; `initial` before it and without one. */
function createAskedOnce<T>(ask: () => Promise<FetchResult<T>>, initial: T): () => T {
  const store = createStore<T | null>(null);
  return () => {
    useEffect(() => {
      if (store.get()) return;
      store.set(initial);
      void ask().then((answer) => answer.ok && store.set(answer.value));
    }, []);
    return useStore(store) ?? initial;
  };
}

/** [N38] The models that Pi has a key for. */
export const useUsableModels = createAskedOnce(getModels, { models: [] });

/** [YP15] What a materia may name. */
export const useEquipment = createAskedOnce(getEquipment, { skills: [], extensions: [], mcp: [], sandboxes: [] });

/** From the wire: null becomes absent. */
function entriesByName<T>(
  entries: readonly (Omit<CatalogEntry<T>, "file" | "value"> & {
    readonly file: string | null;
    readonly value: T | null;
  })[],
): ReadonlyMap<string, CatalogEntry<T>> {
  return new Map(
    entries.map(({ file, value, ...entry }) => [
      entry.name,
      { ...entry, ...(file === null ? {} : { file }), ...(value === null ? {} : { value }) },
    ]),
  );
}

/** [W35] The callback of the open trust question; null if none is open. */
export const pendingTrustAnswer = createStore<((isGiven: boolean) => void) | null>(null);

/** [W35] Asks for trust after a refusal, then sends the request again. */
export async function sendAndAskTrust<T>(send: (trust: boolean) => Promise<FetchResult<T>>): Promise<FetchResult<T>> {
  const refused = await send(false);
  if (refused.ok || !refused.issues.some(({ code }) => code === "untrusted_project")) return refused;
  await loadCatalog();
  const isGiven = await new Promise<boolean>((resolve) => pendingTrustAnswer.set(resolve));
  pendingTrustAnswer.set(null);
  if (!isGiven) return refused;
  const { trust } = catalogStore.get();
  // Content that is too large to watch is trusted for one request only.
  return send(trust?.given === false && trust.digest === null);
}

export function showTrustDialog(): void {
  pendingTrustAnswer.set(() => pendingTrustAnswer.set(null));
}

/** Trusts exactly the shown content; false if it changed and must be shown again. */
export async function trustDigest(digest: string): Promise<boolean> {
  const answer = await grantTrust({ digest });
  await loadCatalog();
  return answer.ok;
}
