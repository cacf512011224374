import { useState, type ReactElement } from "react";
import { Dialog } from "../parts/controls/dialog.tsx";
import { renderSymbols } from "../parts/marks/words.tsx";
import { SHORTCUTS } from "./key-table.ts";
import { hrefOf } from "../browser/route.ts";
import { areLetterKeysOn, setLetterKeys } from "../browser/keys.ts";
import { bindClassNames } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const css = bindClassNames(dialogSheet, baseSheet);

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
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
                        // The same key may stand in a row twice.
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
