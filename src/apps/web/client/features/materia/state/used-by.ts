import type { Catalog } from "../../../../../../core/catalog/catalog.ts";

export interface MateriaUsage {
  readonly loadout: string;
  readonly socket: string;
}

/** The sockets in which a materia is seated. */
export function usagesOf(catalog: Catalog, name: string): readonly MateriaUsage[] {
  return [...catalog.loadouts.values()].flatMap((entry) =>
    Object.entries(entry.value?.sockets ?? {})
      .filter(([, socket]) => socket.materia === name)
      .map(([socket]) => ({ loadout: entry.name, socket })),
  );
}
