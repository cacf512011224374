import type { ReactElement } from "react";
import { MAX_ITEM_CELLS, itemCells, type ItemCell, type ItemProgress } from "../../../../../core/view/now/cells.ts";
import { bindClassNames } from "../../browser/classes.ts";
import cellsSheet from "./cells.module.css";

const cellsCss = bindClassNames(cellsSheet);

const CELL_CLASSES = {
  done: "done",
  reworked: "reworked",
  given_up: "given-up",
  current: "current",
  current_reworked: "current-reworked",
  failed: "failed-cell",
  to_come: "",
} as const satisfies Record<ItemCell, string>;

/** One cell per item, or a bar where there are too many; what it shows is always written beside it. */
export function ItemCells({ items }: { readonly items: ItemProgress }): ReactElement {
  if (items.size > MAX_ITEM_CELLS) {
    return (
      <span className={cellsCss("meter wide-meter")} aria-hidden="true">
        <i style={{ width: `${(100 * items.done) / items.size}%` }} />
        {items.givenUp.count > 0 && (
          <i className={cellsCss("given-up")} style={{ width: `${(100 * items.givenUp.count) / items.size}%` }} />
        )}
      </span>
    );
  }
  return (
    <span className={cellsCss("cells")} aria-hidden="true">
      {itemCells(items).map((cell, index) => (
        // Cells have no identity but their place.
        <i key={index} className={cellsCss(CELL_CLASSES[cell])} />
      ))}
    </span>
  );
}
