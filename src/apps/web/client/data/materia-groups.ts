import type { Catalog } from "../../../../core/catalog/catalog.ts";
import type { Entry } from "../../../../core/catalog/layer.ts";
import { isGate, isGenerator, type Materia } from "../../../../core/model/materia.ts";
import type { Option } from "../parts/controls/fields.tsx";

const TITLES = ["Agents", "Generators", "Utility", "Gates"] as const;

export interface Group {
  readonly title: (typeof TITLES)[number];
  readonly entries: readonly Entry<Materia>[];
}

/** The palette: what works, what makes work, what needs no model, and what answers yes or no without one. */
export function groupsOf(catalog: Catalog, sought = ""): readonly Group[] {
  const words = sought.toLowerCase().split(/\s+/);
  const found = [...catalog.materia.values()].filter(({ name, value }) => {
    const text = `${name} ${value?.label ?? ""} ${value?.description ?? ""} ${value?.group ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return TITLES.map((title) => ({
    title,
    entries: found.filter(({ value }) => titleOf(value) === title),
  }));
}

function titleOf(materia: Materia | undefined): Group["title"] {
  if (materia === undefined) return "Agents";
  if (isGate(materia)) return "Gates";
  return materia.type === "utility" ? "Utility" : isGenerator(materia) ? "Generators" : "Agents";
}

export function materiaOptions(catalog: Catalog): readonly Option[] {
  return groupsOf(catalog).flatMap(({ entries }) => entries.map(({ name }) => ({ value: name, label: name })));
}
