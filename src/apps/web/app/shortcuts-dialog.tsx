import { useState, type ReactElement } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { hrefOf } from "../browser/route.ts";
import { areLetterKeysOn, setLetterKeys } from "../browser/keyboard.ts";
import { css } from "../ui/classes.ts";

export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [letters, setOn] = useState(areLetterKeysOn);
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <div className={css("dialog-body key-table")} tabIndex={0} role="group" aria-label="All keys">
        {SHORTCUTS.map(({ where, keys }) => (
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
        <label className={css("row")}>
          <input
            type="checkbox"
            checked={letters}
            onChange={(event) => {
              setLetterKeys(event.target.checked);
              setOn(event.target.checked);
            }}
          />
          Single-letter keys
        </label>
        <span className={css("grow")} />
        <a href={hrefOf("help")} onClick={onClose}>
          Guide to this page
        </a>
      </div>
    </Dialog>
  );
}

/** Every key of the page, as the `?` dialog shows it. */
export interface ShortcutGroup {
  readonly where: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    where: "Everywhere",
    keys: [
      ["Ctrl K", "go to"],
      ["?", "these keys"],
      ["/", "search"],
      ["N", "new cast"],
      ["G then C L M", "casts, loadouts, materia"],
      ["T", "light or dark"],
      ["Esc", "back, close"],
    ],
  },
  {
    where: "Lists",
    keys: [
      ["↑ ↓", "move"],
      ["Enter", "open"],
      ["C", "continue"],
      ["R", "resume"],
      ["X", "abort (asks)"],
    ],
  },
  {
    where: "Graph",
    keys: [
      ["↑ ↓", "along the rail"],
      ["← →", "to branches and lanes"],
      ["Enter", "open"],
      ["E", "next edge of this socket"],
    ],
  },
  {
    where: "Cast",
    keys: [
      ["[ ]", "visit before, after"],
      ["Shift [ ]", "item before, after"],
      ["Home End", "first, last visit"],
      ["F", "follow live"],
      ["1–6", "tabs of the visit"],
    ],
  },
  {
    where: "Editor",
    keys: [
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
  },
  {
    where: "New cast",
    keys: [
      ["Alt ↑ ↓", "move a target"],
      ["Ctrl Enter", "start"],
    ],
  },
];
