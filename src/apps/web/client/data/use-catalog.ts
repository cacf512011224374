import { useEffect } from "react";
import type { Catalog } from "../../../../core/catalog/catalog.ts";
import type { Entry } from "../../../../core/catalog/layer.ts";
import type { Issue } from "../../../../core/model/issue.ts";
import { openKeptProject } from "../browser/drafts/kept.ts";
import { openStore, useStore } from "../browser/store.ts";
import { getCatalog } from "../net/api.ts";
import { onServerBack } from "../net/connection.ts";
import { toast } from "../parts/controls/toasts.tsx";
import type { CatalogAnswer } from "../../../../core/wire/catalog.ts";

/** What can be named, as the files say it now. The last known one stays while it is read anew. */
export interface KnownCatalog {
  readonly catalog: Catalog | null;
  readonly layers: CatalogAnswer["layers"] | null;
  /** The folder of the project. */
  readonly cwd: string | null;
  /** [B26] The fleet whose casts these are; null where they are kept here. */
  readonly fleet: string | null;
  readonly trust: CatalogAnswer["trust"] | null;
  readonly issues: readonly Issue[];
}

const known = openStore<KnownCatalog>({ catalog: null, layers: null, cwd: null, fleet: null, trust: null, issues: [] });

export async function readCatalog(): Promise<void> {
  const read = await getCatalog();
  if (!read.ok) return known.set({ ...known.get(), issues: read.issues });
  const { layers, cwd, fleet, trust } = read.value;
  const back = openKeptProject(cwd).filter(({ kind }) => kind !== "text");
  if (back.length > 0)
    toast({ text: `What you had not saved is still here: ${[...new Set(back.map(({ name }) => name))].join(", ")}.` });
  return known.set({ catalog: catalogOf(read.value), layers, cwd, fleet, trust, issues: [] });
}

onServerBack(() => void readCatalog());

/** The last known one, for what happens outside of drawing. */
export function knownCatalog(): Catalog | null {
  return known.get().catalog;
}

export function knownTrust(): CatalogAnswer["trust"] | null {
  return known.get().trust;
}

export function useCatalog(): KnownCatalog {
  useEffect(() => {
    void readCatalog();
  }, []);
  return useStore(known);
}

function catalogOf({ settings, materia, loadouts, issues }: CatalogAnswer): Catalog {
  return {
    settings,
    materia: named(materia),
    loadouts: named(loadouts),
    issues,
  };
}

/** What an answer says of a named thing; on the wire what is absent is null. */
interface Named<T> extends Omit<Entry<T>, "file" | "value"> {
  readonly file: string | null;
  readonly value: T | null;
}

function named<T>(entries: readonly Named<T>[]): ReadonlyMap<string, Entry<T>> {
  return new Map(
    entries.map(({ file, value, ...entry }) => [
      entry.name,
      { ...entry, ...(file === null ? {} : { file }), ...(value === null ? {} : { value }) },
    ]),
  );
}
