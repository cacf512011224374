import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { NameDialog, nextFreeName } from "../../../dialogs/name-dialog.tsx";
import { Select } from "../../../parts/controls/fields.tsx";
import { navigate, hrefOf } from "../../../browser/route.ts";
import { loadoutTemplates } from "../state/templates.ts";
import { createLoadoutDraft } from "../state/works.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const css = bindClassNames(dialogSheet);

/** [E28] A name, and what it begins with. */
export function NewLoadoutDialog(props: {
  readonly catalog: Catalog;
  readonly taken: (name: string) => boolean;
  readonly onClose: () => void;
}): ReactElement {
  const { catalog, taken, onClose } = props;
  const [chosen, setChosen] = useState("");
  const templates = loadoutTemplates(catalog);
  const begin = (name: string): void => {
    const template = templates.find(({ key }) => key === chosen);
    if (template) createLoadoutDraft(name, template.draft(name));
    onClose();
    navigate(hrefOf("loadouts", name));
  };
  return (
    <NameDialog
      title="New loadout"
      action="Create"
      initial={taken("My-Loadout") ? nextFreeName("My-Loadout", taken) : "My-Loadout"}
      taken={taken}
      note="Nothing is written before you save."
      onClose={onClose}
      onName={begin}
    >
      <div className={css("option")}>
        <span className={css("label")}>Begin with</span>
        <Select
          label="Begin with"
          value={chosen}
          options={templates.map(({ key, label }) => ({ value: key, label }))}
          onPick={setChosen}
        />
      </div>
    </NameDialog>
  );
}
