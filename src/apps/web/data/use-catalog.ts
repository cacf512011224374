import { useEffect } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { loadProjectDrafts } from "../browser/unsaved-drafts.ts";
import { createStore, useStore, type Store } from "../browser/store.ts";
import { getCatalog, getEquipment, getModels, grantTrust } from "../net/api.ts";
import { onReconnect } from "../net/follow.ts";
import { toast } from "../ui/toasts.tsx";
import type { CatalogResponse, EquipmentResponse } from "../../../core/wire/catalog.ts";
import type { FetchResult } from "../net/request.ts";

/** The catalog of the current files. The last one stays during a reload. */
export interface CatalogState {
  readonly catalog: Catalog | null;
  readonly layers: CatalogResponse["layers"] | null;
  /** The folder of the project. */
  readonly cwd: string | null;
  /** [B26] The fleet that has the casts; null for casts on this machine. */
  readonly fleet: string | null;
  readonly trust: CatalogResponse["trust"] | null;
  readonly issues: readonly Issue[];
}

const catalogStore = createStore<CatalogState>({
  catalog: null,
  layers: null,
  cwd: null,
  fleet: null,
  trust: null,
  issues: [],
});

let isRequested = false;

export async function loadCatalog(): Promise<void> {
  isRequested = true;
  const read = await getCatalog();
  if (!read.ok) return catalogStore.set({ ...catalogStore.get(), issues: read.issues });
  const { layers, cwd, fleet, trust } = read.value;
  const back = loadProjectDrafts(cwd).filter(({ kind }) => kind !== "text");
  if (back.length > 0)
    toast({ text: `Your unsaved work is still here: ${[...new Set(back.map(({ name }) => name))].join(", ")}.` });
  return catalogStore.set({ catalog: catalogFromAnswer(read.value), layers, cwd, fleet, trust, issues: [] });
}

onReconnect(() => void loadCatalog());

/** The last catalog, for code outside of components. */
export function currentCatalog(): Catalog | null {
  return catalogStore.get().catalog;
}

function currentTrust(): CatalogResponse["trust"] | null {
  return catalogStore.get().trust;
}

/** Loaded once: the server reports every change of a configuration file. */
export function useCatalog(): CatalogState {
  useEffect(() => {
    if (!isRequested) void loadCatalog();
  }, []);
  return useStore(catalogStore);
}

const usableModels = createStore<readonly string[] | null>(null);

/** [N38] The models that Pi has a key for, asked once. */
export function useUsableModels(): readonly string[] {
  useEffect(() => {
    if (usableModels.get()) return;
    usableModels.set([]);
    void getModels().then((answer) => answer.ok && usableModels.set(answer.value.models));
  }, []);
  return useStore(usableModels) ?? [];
}

const equipmentStore = createStore<EquipmentResponse | null>(null);
const NO_EQUIPMENT: EquipmentResponse = { skills: [], extensions: [], mcp: [], sandboxes: [] };

/** [YP15] What a materia may name, asked once. */
export function useEquipment(): EquipmentResponse {
  useEffect(() => {
    if (equipmentStore.get()) return;
    equipmentStore.set(NO_EQUIPMENT);
    void getEquipment().then((answer) => answer.ok && equipmentStore.set(answer.value));
  }, []);
  return useStore(equipmentStore) ?? NO_EQUIPMENT;
}

function catalogFromAnswer({ settings, materia, loadouts, issues }: CatalogResponse): Catalog {
  return {
    settings,
    materia: entriesByName(materia),
    loadouts: entriesByName(loadouts),
    issues,
  };
}

/** Converts an entry from the wire: null becomes absent. */
interface WireEntry<T> extends Omit<CatalogEntry<T>, "file" | "value"> {
  readonly file: string | null;
  readonly value: T | null;
}

function entriesByName<T>(entries: readonly WireEntry<T>[]): ReadonlyMap<string, CatalogEntry<T>> {
  return new Map(
    entries.map(({ file, value, ...entry }) => [
      entry.name,
      { ...entry, ...(file === null ? {} : { file }), ...(value === null ? {} : { value }) },
    ]),
  );
}

/** [W35] The callback of the open trust question; null if none is open. */
export const pendingTrustAnswer: Store<((isGiven: boolean) => void) | null> = createStore<
  ((isGiven: boolean) => void) | null
>(null);

/** [W35] Asks for trust after a refusal, then sends the request again. */
export async function sendWithTrust<T>(send: (trust: boolean) => Promise<FetchResult<T>>): Promise<FetchResult<T>> {
  const refused = await send(false);
  if (refused.ok || !refused.issues.some(({ code }) => code === "untrusted_project")) return refused;
  await loadCatalog();
  const isGiven = await new Promise<boolean>((resolve) => pendingTrustAnswer.set(resolve));
  pendingTrustAnswer.set(null);
  if (!isGiven) return refused;
  const trust = currentTrust();
  // Content that is too large to watch is trusted for one request only.
  return send(trust?.given === false && trust.digest === null);
}

/** Opens the question without a request. */
export function showTrustDialog(): void {
  pendingTrustAnswer.set(() => pendingTrustAnswer.set(null));
}

/** Trusts exactly the shown content; false if it changed and must be shown again. */
export async function trustDigest(digest: string): Promise<boolean> {
  const answer = await grantTrust({ digest });
  await loadCatalog();
  return answer.ok;
}
