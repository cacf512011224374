import type { ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon, MateriaIcon } from "../ui/icons.tsx";
import { MateriaSearch } from "../dialogs/materia-search.tsx";
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
  const fresh = [...drafts.values()].filter(({ name }) => !catalog.materia.has(name)).map(({ name }) => ({ name }));
  return (
    <>
      <MateriaSearch
        catalog={catalog}
        first={{ title: "Not saved", entries: fresh }}
        draw={(entry) => <MateriaItem {...entry} isChosen={entry.name === chosen} />}
      />
      <div className={css("padded")}>
        <Button icon="plus" className={css("whole-width")} onClick={onNew}>
          New materia
        </Button>
      </div>
    </>
  );
}

function MateriaItem({
  name,
  value,
  isChosen,
}: {
  readonly name: string;
  readonly value?: Materia | undefined;
  readonly isChosen: boolean;
}): ReactElement {
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
