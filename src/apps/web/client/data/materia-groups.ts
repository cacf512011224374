import type { Catalog } from "../../../../core/catalog/catalog.ts";
import type { Entry } from "../../../../core/catalog/layer.ts";
import type { Materia } from "../../../../core/model/materia.ts";
import type { Option } from "../parts/controls/fields.tsx";

export interface Group {
  readonly title: "Agents" | "Generators" | "Utility";
  readonly entries: readonly Entry<Materia>[];
}

/** The palette: what works, what makes work, and what needs no model. */
export function groupsOf(catalog: Catalog, sought = ""): readonly Group[] {
  const words = sought.toLowerCase().split(/\s+/);
  const found = [...catalog.materia.values()].filter(({ name, value }) => {
    const text = `${name} ${value?.label ?? ""} ${value?.description ?? ""} ${value?.group ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (["Agents", "Generators", "Utility"] as const).map((title) => ({
    title,
    entries: found.filter(({ value }) => titleOf(value) === title),
  }));
}

function titleOf(materia: Materia | undefined): Group["title"] {
  return materia?.type === "utility" ? "Utility" : materia?.generator === true ? "Generators" : "Agents";
}

export function materiaOptions(catalog: Catalog): readonly Option[] {
  return groupsOf(catalog).flatMap(({ entries }) => entries.map(({ name }) => ({ value: name, label: name })));
}
