import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { NameDialog, freeName } from "../../../dialogs/name-dialog.tsx";
import { Pick } from "../../../parts/controls/fields.tsx";
import { go, hrefOf } from "../../../browser/route.ts";
import { templatesOf } from "../state/templates.ts";
import { beginWork } from "../state/works.ts";
import { classesOf } from "../../../browser/classes.ts";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet);

/** [E28] A name, and what it begins with. */
export function NewDialog(props: {
  readonly catalog: Catalog;
  readonly taken: (name: string) => boolean;
  readonly onClose: () => void;
}): ReactElement {
  const { catalog, taken, onClose } = props;
  const [chosen, setChosen] = useState("");
  const templates = templatesOf(catalog);
  const begin = (name: string): void => {
    const template = templates.find(({ key }) => key === chosen);
    if (template) beginWork(name, template.draft(name));
    onClose();
    go(hrefOf("loadouts", name));
  };
  return (
    <NameDialog
      title="New loadout"
      action="Create"
      initial={taken("My-Loadout") ? freeName("My-Loadout", taken) : "My-Loadout"}
      taken={taken}
      note="Nothing is written before you save."
      onClose={onClose}
      onName={begin}
    >
      <div className={css("option")}>
        <span className={css("label")}>Begin with</span>
        <Pick
          label="Begin with"
          value={chosen}
          options={templates.map(({ key, label }) => ({ value: key, label }))}
          onPick={setChosen}
        />
      </div>
    </NameDialog>
  );
}
