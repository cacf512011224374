import { useId, useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { TargetRef } from "../../../core/command/command.ts";
import { Icon, MateriaIcon } from "../ui/icons.tsx";
import { useOptionKeys } from "../ui/fields.tsx";
import { addTarget } from "./use-chain.ts";
import { bindSheets } from "../ui/classes.ts";
import linkSheet from "./link.module.css";

const css = bindSheets(linkSheet);

interface TargetChoice {
  readonly ref: TargetRef;
  readonly key: string;
}

/** Adds a target by a few letters of its name. */
export function TargetField({ catalog }: { readonly catalog: Catalog }): ReactElement {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const list = useId();
  const words = text.toLowerCase().split(/\s+/);
  const found = targetChoices(catalog).filter(({ key }) => words.every((word) => key.toLowerCase().includes(word)));
  const choose = ({ ref }: TargetChoice): void => {
    addTarget(ref);
    setText("");
    setOpen(false);
  };
  const { at, first, onKey } = useOptionKeys(found, choose);
  return (
    <div className={css("adder")}>
      <label className={css("field")}>
        <Icon name="plus" />
        <input
          role="combobox"
          aria-label="Add a target"
          aria-expanded={isOpen}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && found[at] ? `${list}-${at}` : undefined}
          placeholder="Add a materia or a loadout"
          value={text}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && isOpen) {
              setOpen(false);
              event.preventDefault();
              event.stopPropagation();
            } else if ((isOpen || event.key !== "Enter") && onKey(event)) setOpen(event.key !== "Enter");
          }}
          onChange={(event) => {
            setText(event.target.value);
            setOpen(true);
            first();
          }}
        />
      </label>
      <TargetChoiceList id={list} found={found} at={at} isOpen={isOpen} catalog={catalog} onChoose={choose} />
    </div>
  );
}

function TargetChoiceList(props: {
  readonly id: string;
  readonly found: readonly TargetChoice[];
  readonly at: number;
  readonly isOpen: boolean;
  readonly catalog: Catalog;
  readonly onChoose: (choice: TargetChoice) => void;
}): ReactElement {
  const { id, found, at, isOpen, catalog, onChoose } = props;
  return (
    <ul className={css("option-list")} id={id} role="listbox" aria-label="Targets to add" hidden={!isOpen}>
      {found.map((choice, index) => (
        <li
          key={choice.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // Before the blur of the field closes the list.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(choice);
          }}
        >
          {choice.ref.kind === "materia" ? (
            <MateriaIcon materia={catalog.materia.get(choice.ref.name)?.value} size="sm" />
          ) : (
            <Icon name="loadouts" />
          )}
          <span className={css("cut grow")}>{choice.ref.name}</span>
          <span className={css("faint")}>{choice.ref.kind}</span>
        </li>
      ))}
      {found.length === 0 && <li className={css("faint")}>Nothing matches.</li>}
    </ul>
  );
}

function targetChoices(catalog: Catalog): readonly TargetChoice[] {
  return [...choicesOfKind("loadout", catalog.loadouts.keys()), ...choicesOfKind("materia", catalog.materia.keys())];
}

function choicesOfKind(kind: "materia" | "loadout", names: Iterable<string>): readonly TargetChoice[] {
  return [...names].map((name) => ({ ref: { kind, name }, key: `${kind}:${name}` }));
}
