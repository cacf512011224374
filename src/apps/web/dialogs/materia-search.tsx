import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import { type Materia, isGate, isGenerator } from "../../../core/model/materia.ts";
import { css } from "../ui/classes.ts";
import { Icon } from "../ui/icons.tsx";
import type { SelectOption } from "../ui/fields.tsx";

type ListedMateria = Pick<CatalogEntry<Materia>, "name" | "value">;

/** All materia by group, with a search field: the palette and the list of the materia page. */
export function MateriaSearch(props: {
  readonly catalog: Catalog;
  readonly first?: { readonly title: string; readonly entries: readonly ListedMateria[] };
  readonly draw: (entry: ListedMateria) => ReactElement;
}): ReactElement {
  const { catalog, first, draw } = props;
  const [search, setSearch] = useState("");
  const groups = [...(first ? [first] : []), ...groupMateria(catalog, search)].filter(
    ({ entries }) => entries.length > 0,
  );
  return (
    <>
      <div className={css("padded")}>
        <label className={css("field")}>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Find materia"
            aria-label="Find materia"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
      </div>
      {groups.length === 0 && <p className={css("faint nothing")}>No materia matches. Clear the search.</p>}
      {groups.map(({ title, entries }) => (
        <section key={title} aria-label={title}>
          <h2>
            {title} <span className={css("faint")}>{entries.length}</span>
          </h2>
          <ul>
            {entries.map((entry) => (
              <li key={entry.name}>{draw(entry)}</li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const GROUP_TITLES = ["Agents", "Generators", "Utility", "Gates"] as const;

export function groupMateria(catalog: Catalog, sought = "") {
  const words = sought.toLowerCase().split(/\s+/);
  const found = [...catalog.materia.values()].filter(({ name, value }) => {
    const text = `${name} ${value?.label ?? ""} ${value?.description ?? ""} ${value?.group ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return GROUP_TITLES.map((title) => ({ title, entries: found.filter(({ value }) => groupTitle(value) === title) }));
}

function groupTitle(materia: Materia | undefined): (typeof GROUP_TITLES)[number] {
  if (materia === undefined) return "Agents";
  if (isGate(materia)) return "Gates";
  return materia.type === "utility" ? "Utility" : isGenerator(materia) ? "Generators" : "Agents";
}

export function materiaOptions(catalog: Catalog): readonly SelectOption[] {
  return groupMateria(catalog).flatMap(({ entries }) => entries.map(({ name }) => ({ value: name, label: name })));
}
