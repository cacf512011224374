import { useState, type ReactElement } from "react";
import { Dialog } from "../parts/controls/dialog.tsx";
import { glyphs } from "../parts/marks/words.tsx";
import { KEY_TABLE } from "./key-table.ts";
import { hrefOf } from "../browser/route.ts";
import { lettersAreOn, setLetters } from "../browser/keys.ts";
import { classesOf } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, baseSheet);

export function KeysDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [letters, setOn] = useState(lettersAreOn);
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <div className={css("dialog-body key-table")} tabIndex={0} role="group" aria-label="All keys">
        {KEY_TABLE.map(({ where, keys }) => (
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
                        <kbd key={`${part}${index}`}>{glyphs(part)}</kbd>
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
              setLetters(event.target.checked);
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
