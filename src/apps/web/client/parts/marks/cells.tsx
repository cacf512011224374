import type { ReactElement } from "react";
import { CELLS_SHOWN, cellsOf } from "../../../../../core/view/now/cells.ts";
import type { Cell, Items } from "../../../../../core/view/now/cells.ts";

const CELL: Readonly<Record<Cell, string>> = {
  done: "d",
  reworked: "r",
  current: "n",
  current_reworked: "nr",
  failed: "x",
  to_come: "",
};

import "./cells.css";

/** One cell per item, or a bar where there are too many; what it shows is always written beside it. */
export function Cells({ items }: { readonly items: Items }): ReactElement {
  if (items.size > CELLS_SHOWN) {
    return (
      <span className="meter wide" aria-hidden="true">
        <i style={{ width: `${(100 * items.done) / items.size}%` }} />
      </span>
    );
  }
  return (
    <span className="cells" aria-hidden="true">
      {cellsOf(items).map((cell, index) => (
        // Cells have no identity but their place.
        <i key={index} className={CELL[cell]} />
      ))}
    </span>
  );
}
