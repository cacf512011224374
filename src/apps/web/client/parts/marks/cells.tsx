import type { ReactElement } from "react";
import { CELLS_SHOWN, cellsOf, type ItemCell, type ItemProgress } from "../../../../../core/view/now/cells.ts";
import { classesOf } from "../../browser/classes.ts";
import cellsSheet from "./cells.module.css";

const css = classesOf(cellsSheet);

const CELL = {
  done: "done",
  reworked: "reworked",
  given_up: "given-up",
  current: "current",
  current_reworked: "current-reworked",
  failed: "failed-cell",
  to_come: "",
} as const satisfies Record<ItemCell, string>;

/** One cell per item, or a bar where there are too many; what it shows is always written beside it. */
export function Cells({ items }: { readonly items: ItemProgress }): ReactElement {
  if (items.size > CELLS_SHOWN) {
    return (
      <span className={css("meter wide-meter")} aria-hidden="true">
        <i style={{ width: `${(100 * items.done) / items.size}%` }} />
        {items.givenUp.count > 0 && (
          <i className={css("given-up")} style={{ width: `${(100 * items.givenUp.count) / items.size}%` }} />
        )}
      </span>
    );
  }
  return (
    <span className={css("cells")} aria-hidden="true">
      {cellsOf(items).map((cell, index) => (
        // Cells have no identity but their place.
        <i key={index} className={css(CELL[cell])} />
      ))}
    </span>
  );
}
