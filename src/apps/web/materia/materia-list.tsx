import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { groupMateria } from "../data/materia-groups.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon, MateriaIcon } from "../ui/icons.tsx";
import { hrefOf } from "../browser/route.ts";
import { isMateriaDirty, materiaDrafts } from "./materia-drafts.ts";
import { useStore } from "../browser/store.ts";
import { css } from "../ui/classes.ts";

export function MateriaList(props: {
  readonly catalog: Catalog;
  readonly chosen: string;
  readonly onNew: () => void;
}): ReactElement {
  const { catalog, chosen, onNew } = props;
  const drafts = useStore(materiaDrafts);
  const [search, setSearch] = useState("");
  const groups = groupMateria(catalog, search);
  const fresh = [...drafts.values()].filter(({ name }) => !catalog.materia.has(name));
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
          <kbd>/</kbd>
        </label>
      </div>
      {groups.every(({ entries }) => entries.length === 0) && (
        <p className={css("faint nothing")}>No materia matches. Clear the search.</p>
      )}
      <MateriaGroup title="Not saved" entries={fresh.map(({ name }) => ({ name }))} chosen={chosen} />
      {groups.map(({ title, entries }) => (
        <MateriaGroup key={title} title={title} entries={entries} chosen={chosen} />
      ))}
      <div className={css("padded")}>
        <Button icon="plus" className={css("whole-width")} onClick={onNew}>
          New materia
        </Button>
      </div>
    </>
  );
}

interface ListedMateria {
  readonly name: string;
  readonly value?: Materia;
}

function MateriaGroup(props: {
  readonly title: string;
  readonly entries: readonly ListedMateria[];
  readonly chosen: string;
}): ReactElement | null {
  const { title, entries, chosen } = props;
  if (entries.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className={css("faint")}>{entries.length}</span>
      </h2>
      <ul>
        {entries.map((entry) => (
          <li key={entry.name}>
            <MateriaItem {...entry} isChosen={entry.name === chosen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function MateriaItem({ name, value, isChosen }: ListedMateria & { readonly isChosen: boolean }): ReactElement {
  const draft = useStore(materiaDrafts).get(name);
  return (
    <a className={css("side-row")} href={hrefOf("materia", name)} aria-current={isChosen ? "page" : undefined}>
      <MateriaIcon materia={value} size="sm" />
      <span className={css("cut grow")}>{name}</span>
      {draft && isMateriaDirty(draft) && (
        <span className={css("unsaved")} title="Not saved">
          <span className={css("spoken")}>not saved</span>
        </span>
      )}
      {!value && !draft && (
        <span className={css("status bad")}>
          <Icon name="warning" />
          <span className={css("spoken")}>broken</span>
        </span>
      )}
    </a>
  );
}
