import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { compareLoadouts } from "../../../../../../core/edit/compare.ts";
import { printLoadout } from "../../../../../../core/edit/text/draft.ts";
import type { Loadout } from "../../../../../../core/model/loadout.ts";
import { Dialog } from "../../../parts/controls/dialog.tsx";
import { TextDiff } from "../../../dialogs/save/diff.tsx";
import { ChangeList } from "../parts/bottom.tsx";
import { Select, SegmentedControl } from "../../../parts/controls/fields.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const compareLoadoutsDialogCss = bindClassNames(dialogSheet, baseSheet);

/** What was added, removed and changed from another loadout to this one. */
export function CompareLoadoutsDialog(props: {
  readonly name: string;
  readonly loadout: Loadout;
  readonly saved: Loadout | null;
  readonly catalog: Catalog;
  readonly initial: string | null;
  readonly onClose: () => void;
}): ReactElement {
  const { name, loadout, saved, catalog, initial, onClose } = props;
  const others = [...catalog.loadouts.values()].filter((entry) => entry.value !== undefined && entry.name !== name);
  const options = [
    ...(saved ? [{ value: "", label: `${name} as saved` }] : []),
    ...others.map((entry) => ({ value: entry.name, label: entry.name })),
  ];
  const [other, setOther] = useState(initial ?? options[0]?.value ?? "");
  const [as, setAs] = useState<"list" | "text">("list");
  const before = other === "" ? saved : (catalog.loadouts.get(other)?.value ?? null);
  return (
    <Dialog title={`Compare ${name}`} onClose={onClose} wide>
      <div className={compareLoadoutsDialogCss("dialog-body")}>
        <div className={compareLoadoutsDialogCss("row wrap")}>
          <span className={compareLoadoutsDialogCss("secondary")}>From</span>
          <Select label="Compare with" value={other} options={options} onPick={setOther} />
          <span className={compareLoadoutsDialogCss("secondary")}>{`to ${name}`}</span>
          <span className={compareLoadoutsDialogCss("grow")} />
          <SegmentedControl<"list" | "text">
            label="Show as"
            value={as}
            options={[
              { value: "list", label: "Changes" },
              { value: "text", label: "JSON" },
            ]}
            onPick={setAs}
          />
        </div>
        {!before && <p className={compareLoadoutsDialogCss("faint")}>There is nothing to compare with.</p>}
        {before && as === "list" && <ChangeList changes={compareLoadouts(before, loadout)} />}
        {before && as === "text" && (
          <TextDiff before={printLoadout(before)} after={printLoadout(loadout)} label={`${other} and ${name}`} />
        )}
      </div>
    </Dialog>
  );
}
