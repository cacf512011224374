import { useMemo, useState, type ReactElement } from "react";
import { statusText } from "../../../../../../core/view/casts.ts";
import { navigate, hrefOf } from "../../../browser/route.ts";
import { useCasts } from "../../../data/use-casts.ts";
import { ConfirmDialog } from "../../../parts/controls/dialog.tsx";
import type { WatchedCast } from "../state/use-cast.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import controlsSheet from "../../../parts/controls/controls.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const css = bindClassNames(dialogSheet, controlsSheet, baseSheet);

/** A longer list is searched by typing, in the browser's own way. */
const MAX_LISTED_CASTS = 500;

/** Which cast this one is put beside; those of the same loadout come first. */
export function CompareCastsDialog({
  cast,
  onClose,
}: {
  readonly cast: WatchedCast;
  readonly onClose: () => void;
}): ReactElement {
  const { castId, loadout } = cast.castFile;
  const { casts } = useCasts();
  const others = useMemo(
    () =>
      casts
        .filter((each) => each.castId !== castId)
        .toSorted((a, b) => Number(b.loadout === loadout.name) - Number(a.loadout === loadout.name))
        .slice(0, MAX_LISTED_CASTS),
    [casts, castId, loadout.name],
  );
  const [chosen, setChosen] = useState("");
  const other = chosen === "" ? others[0]?.castId : chosen;
  return (
    <ConfirmDialog
      title="Compare with another cast"
      action="Compare"
      off={other === undefined ? "There is no other cast here" : null}
      onClose={onClose}
      onAct={() => other !== undefined && navigate(hrefOf("compare", castId, { with: other }))}
    >
      <label className={css("option")}>
        <span className={css("label")}>Path, handoffs, cost, time and files beside those of</span>
        <select className={css("chooser")} value={other ?? ""} onChange={(event) => setChosen(event.target.value)}>
          {others.map((each) => (
            <option key={each.castId} value={each.castId}>
              {`${each.request.slice(0, 60)} · ${each.loadout} · ${statusText(each.status)} · ${each.castId}`}
            </option>
          ))}
        </select>
      </label>
    </ConfirmDialog>
  );
}
