import { useEffect, useSyncExternalStore } from "react";
import type { Catalog } from "../../../../core/catalog/catalog.ts";
import type { Entry } from "../../../../core/catalog/layer.ts";
import type { Issue } from "../../../../core/model/issue.ts";
import { getCatalog } from "../net/api.ts";
import type { CatalogReply, NamedEntry } from "../net/api.ts";

/** What can be named, as the files say it now. The last known one stays while it is read anew. */
export interface Known {
  readonly catalog: Catalog | null;
  readonly layers: CatalogReply["layers"] | null;
  readonly issues: readonly Issue[];
}

let known: Known = { catalog: null, layers: null, issues: [] };
const listeners = new Set<() => void>();

export async function readCatalog(): Promise<void> {
  const read = await getCatalog();
  known = read.ok
    ? { catalog: catalogOf(read.value), layers: read.value.layers, issues: [] }
    : { ...known, issues: read.issues };
  for (const listener of listeners) listener();
}

export function useCatalog(): Known {
  useEffect(() => {
    void readCatalog();
  }, []);
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => known,
  );
}

function catalogOf({ settings, materia, loadouts, issues }: CatalogReply): Catalog {
  return {
    settings,
    materia: named(materia),
    loadouts: named(loadouts),
    issues,
  };
}

function named<T>(entries: readonly NamedEntry<T>[]): ReadonlyMap<string, Entry<T>> {
  return new Map(
    entries.map(({ file, value, ...entry }) => [
      entry.name,
      { ...entry, ...(file === null ? {} : { file }), ...(value === null ? {} : { value }) },
    ]),
  );
}
