import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import { isGate, isGenerator, type Materia } from "../../../core/model/materia.ts";
import type { SelectOption } from "../ui/fields.tsx";

const GROUP_TITLES = ["Agents", "Generators", "Utility", "Gates"] as const;

export interface MateriaGroup {
  readonly title: (typeof GROUP_TITLES)[number];
  readonly entries: readonly CatalogEntry<Materia>[];
}

/** The groups of the palette: agents, generators, utilities and gates. */
export function groupMateria(catalog: Catalog, sought = ""): readonly MateriaGroup[] {
  const words = sought.toLowerCase().split(/\s+/);
  const found = [...catalog.materia.values()].filter(({ name, value }) => {
    const text = `${name} ${value?.label ?? ""} ${value?.description ?? ""} ${value?.group ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return GROUP_TITLES.map((title) => ({
    title,
    entries: found.filter(({ value }) => groupTitle(value) === title),
  }));
}

function groupTitle(materia: Materia | undefined): MateriaGroup["title"] {
  if (materia === undefined) return "Agents";
  if (isGate(materia)) return "Gates";
  return materia.type === "utility" ? "Utility" : isGenerator(materia) ? "Generators" : "Agents";
}

export function materiaOptions(catalog: Catalog): readonly SelectOption[] {
  return groupMateria(catalog).flatMap(({ entries }) => entries.map(({ name }) => ({ value: name, label: name })));
}
