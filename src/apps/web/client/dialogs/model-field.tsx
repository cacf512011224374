import { useId, type ReactElement } from "react";
import { useCatalog } from "../data/use-catalog.ts";
import { bindClassNames } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import controlsSheet from "../parts/controls/controls.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const modelFieldCss = bindClassNames(dialogSheet, controlsSheet, baseSheet);

/** Which model a cast uses: any that Pi knows by name; those that materia name are offered. */
export function ModelField(props: {
  /** Where it stands in a row that has its name already. */
  readonly named?: string;
  readonly value: string;
  readonly onType: (model: string) => void;
}): ReactElement {
  const { named: name, value, onType } = props;
  const list = useId();
  const { catalog } = useCatalog();
  const named = [...(catalog?.materia.values() ?? [])].flatMap(({ value: own }) =>
    own?.type === "agent" && own.model !== undefined ? [own.model] : [],
  );
  return (
    <label className={modelFieldCss("option")}>
      {name === undefined && <span className={modelFieldCss("label")}>Model (optional)</span>}
      <span className={modelFieldCss("field")}>
        <input
          className={modelFieldCss("monospace")}
          list={list}
          value={value}
          placeholder={catalog?.settings.model ?? "as Pi is set up"}
          aria-label={name}
          spellCheck={false}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
      <datalist id={list}>
        {[...new Set(named)].map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </label>
  );
}
