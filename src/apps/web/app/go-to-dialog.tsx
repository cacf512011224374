import { useEffect, useId, useMemo, useState, type KeyboardEvent, type ReactElement } from "react";
import { getCatalog } from "../net/api.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { Dialog } from "../ui/dialog.tsx";
import { capitalize } from "../ui/status.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import { MAIN_PAGES } from "./top-bar.tsx";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import controlsSheet from "../ui/controls.module.css";
import dialogSheet from "../ui/dialog.module.css";

const css = bindClassNames(dialogSheet, controlsSheet, baseSheet);

interface GoToEntry {
  readonly key: string;
  readonly text: string;
  readonly kind: string;
  readonly href: string;
}

const MAX_ENTRIES = 40;

/** Opens any page, cast, loadout or materia by a few letters of its name. */
export function GoToDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState("");
  const list = useId();
  const entries = useGoToEntries();
  const found = useMemo(
    () => entries.filter((entry) => matchesSearch(entry, text)).slice(0, MAX_ENTRIES),
    [entries, text],
  );
  const open = (entry: GoToEntry | undefined): void => {
    if (!entry) return;
    onClose();
    navigate(entry.href);
  };
  const { at, setAt, onKey } = useHighlightedEntry(list, found, open);
  return (
    <Dialog title="Go to" onClose={onClose} className={css("search-dialog")}>
      <label className={css("field")}>
        <span className={css("spoken")}>Search pages, casts, loadouts and materia</span>
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={found[at] ? `${list}-${at}` : undefined}
          placeholder="Casts, loadouts, materia"
          value={text}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </label>
      <ul className={css("option-list")} id={list} role="listbox" aria-label="Places">
        {found.map((entry, index) => (
          <li
            key={entry.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(entry)}
            onPointerMove={() => setAt(index)}
          >
            <span className={css("cut grow")}>{entry.text}</span>
            <span className={css("faint")}>{entry.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={css("faint nothing-found")}>Nothing matches.</p>}
    </Dialog>
  );
}

/** The option that Enter picks; arrow keys move it and keep it visible. */
function useHighlightedEntry(
  list: string,
  entries: readonly GoToEntry[],
  open: (entry: GoToEntry | undefined) => void,
) {
  const [at, setAt] = useState(0);
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, list]);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((before) => Math.max(0, Math.min(entries.length - 1, before + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(entries[at]);
    }
  };
  return { at, setAt, onKey };
}

function matchesSearch({ text, kind }: GoToEntry, search: string): boolean {
  const all = `${text} ${kind}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function useGoToEntries(): readonly GoToEntry[] {
  const { casts } = useCasts();
  const [named, setNamed] = useState<readonly GoToEntry[]>([]);
  useEffect(() => {
    let isOpen = true;
    const load = async (): Promise<void> => {
      const catalog = await getCatalog();
      if (!catalog.ok || !isOpen) return;
      const entries = (page: string, kind: string, names: readonly string[]): readonly GoToEntry[] =>
        names.map((name) => ({ key: `${kind} ${name}`, text: name, kind, href: hrefOf(page, name) }));
      setNamed([
        ...entries(
          "loadouts",
          "loadout",
          catalog.value.loadouts.map(({ name }) => name),
        ),
        ...entries(
          "materia",
          "materia",
          catalog.value.materia.map(({ name }) => name),
        ),
      ]);
    };
    void load();
    return () => {
      isOpen = false;
    };
  }, []);
  return useMemo(
    () => [
      ...MAIN_PAGES.map(({ page, label }) => ({ key: page, text: label, kind: "page", href: hrefOf(page) })),
      { key: "find", text: "Find in outputs, prompts and tool calls", kind: "page", href: hrefOf("find") },
      { key: "tests", text: "Tests", kind: "page", href: hrefOf("tests") },
      ...named,
      ...casts.map(({ castId, request, status }) => ({
        key: castId,
        text: request,
        kind: `${capitalize(status.replace("_", " "))} · ${castId}`,
        href: hrefOf("casts", castId),
      })),
    ],
    [casts, named],
  );
}
