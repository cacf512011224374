import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { importConfigText, missingMateria, type ImportedConfig } from "../../../../../../core/edit/carry.ts";
import { isError } from "../../../../../../core/model/issue.ts";
import { ConfirmDialog } from "../../../parts/controls/dialog.tsx";
import { FieldError } from "../../../parts/controls/fields.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import controlsSheet from "../../../parts/controls/controls.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const importDialogCss = bindClassNames(dialogSheet, controlsSheet, marksSheet, baseSheet);

/** Loadouts from a file or from pasted text; broken ones too, to be mended here. */
export function ImportLoadoutsDialog(props: {
  readonly catalog: Catalog;
  readonly onClose: () => void;
  readonly onImport: (brought: ImportedConfig) => void;
}): ReactElement {
  const { catalog, onClose, onImport } = props;
  const [text, setText] = useState("");
  const [name, setName] = useState("Imported");
  const read = text.trim() === "" ? null : importConfigText(text, name);
  const { loadouts: found, materia } = read?.ok ? read.value : { loadouts: [], materia: [] };
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setName(file.name.replace(/\.jsonc?$/, ""));
    setText(await file.text());
  };
  return (
    <ConfirmDialog
      title="Import loadouts"
      action={found.length > 1 ? `Import ${found.length} loadouts` : "Import"}
      off={found.length === 0 ? "Choose a file or paste its text" : null}
      onClose={onClose}
      onAct={() => onImport({ loadouts: found, materia })}
    >
      <label className={importDialogCss("option")}>
        <span className={importDialogCss("label")}>File</span>
        <input
          type="file"
          accept=".json,.jsonc,application/json"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      <label className={importDialogCss("option")}>
        <span className={importDialogCss("label")}>Or its text</span>
        <span className={importDialogCss("field")}>
          <textarea
            className={importDialogCss("monospace")}
            rows={8}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
      </label>
      {read && !read.ok && <FieldError text={read.issues[0]?.message ?? "This is not JSON"} />}
      {found.map(({ name: each, draft }) => (
        <p key={each} className={importDialogCss(draft.issues.some(isError) ? "note bad" : "note good")}>
          <b>{each}</b> · {Object.keys(draft.loadout.sockets).length} sockets
          {importedMateriaText(missingMateria(draft.loadout, materia, catalog).map((own) => own.name))}
          {draft.issues.length > 0 && ` · ${draft.issues.length} problems, shown in place`}
        </p>
      ))}
    </ConfirmDialog>
  );
}

function importedMateriaText(names: readonly string[]): string {
  return names.length === 0 ? "" : ` · comes with ${names.join(", ")}`;
}
