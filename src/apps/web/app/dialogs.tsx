import { useMemo, type ReactElement, useState } from "react";
import { rowActionOf } from "../../../core/view/cast-actions.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { toggleTheme } from "../browser/display.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { SearchDialog, Dialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { capitalize } from "../ui/status.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import { MAIN_PAGES } from "./top-bar.tsx";
import { css } from "../ui/classes.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import { areLetterKeysOn, setLetterKeys } from "../browser/keyboard.ts";
import { storeText } from "../browser/store.ts";

interface GoToEntry {
  readonly key: string;
  readonly text: string;
  readonly kind: string;
  readonly href?: string;
  readonly act?: () => void;
}

const MAX_ENTRIES = 40;

/** [W47] Opens or does anything by a few letters of its name; what was used last comes first. */
export function GoToDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const entries = useGoToEntries();
  return (
    <SearchDialog
      title="Go to"
      label="Search actions, pages, casts, loadouts and materia"
      placeholder="An action, a cast, a loadout, a materia"
      listLabel="Places"
      nothing="Nothing matches."
      find={(text) => entries.filter((entry) => matchesSearch(entry, text)).slice(0, MAX_ENTRIES)}
      keyOf={({ key }) => key}
      draw={({ text, kind }) => (
        <>
          <span className={css("cut grow")} dir="auto">
            {text}
          </span>
          <span className={css("faint")}>{kind}</span>
        </>
      )}
      onPick={({ key, href, act }) => {
        onClose();
        rememberEntry(key);
        if (href !== undefined) navigate(href);
        act?.();
      }}
      onClose={onClose}
    />
  );
}

function matchesSearch({ text, kind }: GoToEntry, search: string): boolean {
  const all = `${text} ${kind}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

const RECENT_KEY = "materia-recent-entries";
const MAX_RECENT = 8;

function recentEntries(): readonly string[] {
  return (localStorage.getItem(RECENT_KEY) ?? "").split("\n").filter((key) => key !== "");
}

function rememberEntry(key: string): void {
  const keys = [key, ...recentEntries().filter((each) => each !== key)].slice(0, MAX_RECENT);
  storeText(RECENT_KEY, keys.join("\n"));
}

const OTHER_PAGES = [
  { page: "find", label: "Find in outputs, prompts and tool calls" },
  { page: "settings", label: "Settings" },
  { page: "help", label: "Guide" },
] as const;

function useGoToEntries(): readonly GoToEntry[] {
  const { casts } = useCasts();
  const { catalog, fleet } = useCatalog();
  return useMemo(() => {
    const named = (page: string, kind: string, names: Iterable<string>): readonly GoToEntry[] =>
      [...names].map((name) => ({ key: `${kind} ${name}`, text: name, kind, href: hrefOf(page, name) }));
    const pages = [...MAIN_PAGES.filter(({ page }) => page !== "fleet" || fleet !== null), ...OTHER_PAGES];
    const entries: readonly GoToEntry[] = [
      { key: "new cast", text: "New cast…", kind: "action", href: hrefOf("casts", undefined, { new: "" }) },
      ...actionEntries(casts),
      ...[...(catalog?.loadouts.keys() ?? [])].map((name) => ({
        key: `cast ${name}`,
        text: `Cast ${name}…`,
        kind: "action",
        href: hrefOf("casts", undefined, { new: name }),
      })),
      { key: "theme", text: "Switch between light and dark", kind: "action", act: toggleTheme },
      ...pages.map(({ page, label }) => ({ key: page, text: label, kind: "page", href: hrefOf(page) })),
      ...named("loadouts", "loadout", catalog?.loadouts.keys() ?? []),
      ...named("materia", "materia", catalog?.materia.keys() ?? []),
      ...casts.map(({ castId, request, status }) => ({
        key: castId,
        text: request,
        kind: `${capitalize(status.replace("_", " "))} · ${castId}`,
        href: hrefOf("casts", castId),
      })),
    ];
    const recent = recentEntries();
    const rank = ({ key }: GoToEntry): number => (recent.includes(key) ? recent.indexOf(key) : MAX_RECENT);
    return entries.toSorted((a, b) => rank(a) - rank(b));
  }, [casts, catalog, fleet]);
}

/** The actions of casts that wait, run or stopped, and of the last one. */
function actionEntries(casts: readonly CastSummary[]): readonly GoToEntry[] {
  const [last] = casts;
  const open = casts.filter(({ status }) => status !== "completed" && status !== "not_satisfied").slice(0, 20);
  const actions = (last && !open.includes(last) ? [last, ...open] : open).flatMap((cast) => {
    const { action, label } = rowActionOf(cast.status);
    const asked: Readonly<Record<string, string>> = action === "raise" ? {} : { do: action };
    const text = `${label.replace("…", "")}: ${cast.request}`;
    return [{ key: `${action} ${cast.castId}`, text, kind: "action", href: hrefOf("casts", cast.castId, asked) }];
  });
  if (!last) return actions;
  const text = `Open the last cast: ${last.request}`;
  return [{ key: "last cast", text, kind: "action", href: hrefOf("casts", last.castId) }, ...actions];
}

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [letters, setOn] = useState(areLetterKeysOn);
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <div className={css("dialog-body key-table")} tabIndex={0} role="group" aria-label="All keys">
        {Object.entries(SHORTCUTS).map(([where, keys]) => (
          <section key={where}>
            <h3>{where}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((part, index) =>
                      part === "then" ? (
                        <span key={part}> then </span>
                      ) : (
                        // A row may have the same key twice.
                        <kbd key={`${part}${index}`}>{renderSymbols(part)}</kbd>
                      ),
                    )}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className={css("dialog-foot")}>
        <Checkbox
          label="Single-letter keys"
          on={letters}
          onTurn={(on) => {
            setLetterKeys(on);
            setOn(on);
          }}
        />
        <span className={css("grow")} />
        <a href={hrefOf("help")} onClick={onClose}>
          Guide to this page
        </a>
      </div>
    </Dialog>
  );
}

const SHORTCUTS: Readonly<Record<string, readonly (readonly [keys: string, does: string])[]>> = {
  Everywhere: [
    ["Ctrl K", "go to"],
    ["?", "these keys"],
    ["/", "search"],
    ["N", "new cast"],
    ["G then C L M", "casts, loadouts, materia"],
    ["T", "light or dark"],
    ["Esc", "back, close"],
  ],
  Lists: [
    ["↑ ↓", "move"],
    ["Enter", "open"],
    ["C", "continue"],
    ["R", "resume"],
    ["X", "abort (asks)"],
  ],
  Graph: [
    ["↑ ↓", "along the rail"],
    ["← →", "to branches and lanes"],
    ["Enter", "open"],
    ["E", "next edge of this socket"],
  ],
  Cast: [
    ["[ ]", "visit before, after"],
    ["Shift [ ]", "item before, after"],
    ["Home End", "first, last visit"],
    ["F", "follow live"],
    ["1–6", "tabs of the visit"],
    ["Z", "full screen"],
  ],
  Editor: [
    ["A", "add"],
    ["C", "connect: arrows choose the target, Enter"],
    ["Space", "select"],
    ["L", "loop from selection"],
    ["Alt ↑ ↓", "edge order"],
    ["Alt arrows", "move"],
    ["Del", "remove"],
    ["Ctrl Z", "undo"],
    ["Ctrl Shift Z", "redo"],
    ["Ctrl A", "select all; Shift and drag selects a frame"],
    ["Ctrl C", "copy, also for another loadout"],
    ["Ctrl V", "paste"],
    ["Ctrl D", "duplicate"],
    ["Ctrl S", "review and save"],
    ["F", "find a socket"],
    ["F8", "next problem"],
    ["[ ]", "step through a rehearsal"],
    ["P", "play or pause it"],
  ],
  "New cast": [
    ["Alt ↑ ↓", "move a target"],
    ["Ctrl Enter", "start"],
  ],
};
