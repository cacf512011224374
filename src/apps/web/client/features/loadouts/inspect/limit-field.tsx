import type { ReactElement } from "react";
import { setEdge } from "../../../../../../core/edit/graph/edges.ts";
import { TextField } from "../../../parts/controls/fields.tsx";
import { useEditor } from "../state/editor.ts";
import { closeUndoStep } from "../state/works.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import fieldsSheet from "../../../parts/controls/fields.module.css";

const limitFieldCss = bindClassNames(fieldsSheet);

/** How often an edge may be taken for one item; empty for no limit. */
export function TraversalLimitField({ from, index }: { readonly from: string; readonly index: number }): ReactElement {
  const { loadout, name, apply, readOnly } = useEditor();
  const most = loadout.sockets[from]?.edges[index]?.maxTraversals;
  const set = (text: string): void => {
    const typed = text.trim();
    if (!/^\d*$/.test(typed)) return;
    const maxTraversals = typed === "" ? null : Number(typed);
    const what = maxTraversals === null ? "Lift the limit" : `Limit to ${maxTraversals}`;
    apply(what, (each) => setEdge(each, from, index, { maxTraversals }), `limit ${from} ${index}`);
  };
  return (
    <TextField
      label="Most traversals per item"
      className={limitFieldCss("limit")}
      before="≤"
      numeric
      value={most === undefined ? "" : `${most}`}
      placeholder="∞"
      off={readOnly !== null}
      onType={set}
      onDone={() => closeUndoStep(name)}
    />
  );
}
