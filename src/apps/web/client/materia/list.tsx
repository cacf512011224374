import { useState } from "react";
import type { ReactElement } from "react";
import type { Catalog } from "../../../../core/catalog/catalog.ts";
import { groupsOf } from "../editor/parts/groups.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Orb } from "../parts/orb.tsx";
import { hrefOf } from "../shell/route.ts";
import { isChanged, useMateriaWorks } from "./state.ts";

export function MateriaList(props: {
  readonly catalog: Catalog;
  readonly chosen: string;
  readonly onNew: () => void;
}): ReactElement {
  const { catalog, chosen, onNew } = props;
  const works = useMateriaWorks();
  const [sought, setSought] = useState("");
  const groups = groupsOf(catalog, sought);
  const fresh = [...works.values()].filter(({ name }) => !catalog.materia.has(name));
  return (
    <>
      <div className="f">
        <label className="field">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Find materia"
            aria-label="Find materia"
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
          <kbd>/</kbd>
        </label>
      </div>
      {groups.every(({ entries }) => entries.length === 0) && (
        <p className="mute none">No materia matches. Clear the search.</p>
      )}
      {fresh.length > 0 && (
        <section aria-label="Not saved">
          <h2>
            Not saved <span className="mute">{fresh.length}</span>
          </h2>
          <ul>
            {fresh.map(({ name }) => (
              <li key={name}>
                <a
                  className="palrow"
                  href={hrefOf("materia", name)}
                  aria-current={name === chosen ? "page" : undefined}
                >
                  <Orb materia={undefined} size="sm" />
                  <span className="cut grow">{name}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {groups.map(({ title, entries }) =>
        entries.length === 0 ? null : (
          <section key={title} aria-label={title}>
            <h2>
              {title} <span className="mute">{entries.length}</span>
            </h2>
            <ul>
              {entries.map(({ name, value }) => {
                const work = works.get(name);
                return (
                  <li key={name}>
                    <a
                      className="palrow"
                      href={hrefOf("materia", name)}
                      aria-current={name === chosen ? "page" : undefined}
                    >
                      <Orb materia={value} size="sm" />
                      <span className="cut grow">{name}</span>
                      {work && isChanged(work) && (
                        <span className="dotmark" title="Not saved">
                          <span className="sr">not saved</span>
                        </span>
                      )}
                      {!value && (
                        <span className="st bad">
                          <Icon name="warning" />
                          <span className="sr">broken</span>
                        </span>
                      )}
                    </a>
                  </li>
                );
              })}
            </ul>
          </section>
        ),
      )}
      <div className="f">
        <Button icon="plus" className="wide" onClick={onNew}>
          New materia
        </Button>
      </div>
    </>
  );
}
