import { useId, useState } from "react";
import type { KeyboardEvent, ReactElement } from "react";
import type { Catalog } from "../../../../core/catalog/catalog.ts";
import type { TargetRef } from "../../../../core/command/command.ts";
import { Icon } from "../parts/icon.tsx";
import { Orb } from "../parts/orb.tsx";
import { addTarget } from "./use-chain.ts";

interface Choice {
  readonly ref: TargetRef;
  readonly key: string;
}

/** Adds a target by a few letters of its name. */
export function TargetField({ catalog }: { readonly catalog: Catalog }): ReactElement {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const list = useId();
  const words = text.toLowerCase().split(/\s+/);
  const found = choicesOf(catalog).filter(({ key }) => words.every((word) => key.toLowerCase().includes(word)));
  const choose = (choice: Choice | undefined): void => {
    if (!choice) return;
    addTarget(choice.ref);
    setText("");
    setAt(0);
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setOpen(true);
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && isOpen) choose(found[at]);
    else if (event.key === "Escape" && isOpen) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="adder">
      <label className="field">
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
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.target.value);
            setOpen(true);
            setAt(0);
          }}
        />
      </label>
      <ul className="goals" id={list} role="listbox" aria-label="Targets to add" hidden={!isOpen}>
        {found.map((choice, index) => (
          <li
            key={choice.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            // Before the field loses the focus and the list goes away.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(choice);
            }}
          >
            {choice.ref.kind === "materia" ? (
              <Orb materia={catalog.materia.get(choice.ref.name)?.value} size="sm" />
            ) : (
              <Icon name="loadouts" />
            )}
            <span className="cut grow">{choice.ref.name}</span>
            <span className="mute">{choice.ref.kind}</span>
          </li>
        ))}
        {found.length === 0 && <li className="mute">Nothing matches.</li>}
      </ul>
    </div>
  );
}

function choicesOf(catalog: Catalog): readonly Choice[] {
  return [...choices("loadout", catalog.loadouts.keys()), ...choices("materia", catalog.materia.keys())];
}

function choices(kind: "materia" | "loadout", names: Iterable<string>): readonly Choice[] {
  return [...names].map((name) => ({ ref: { kind, name }, key: `${kind}:${name}` }));
}
