import { columnsOf, padColumns } from "./columns.ts";
import { fitLine, line, toned, type Line } from "./line.ts";

/** A column: what stands above it, and what it says of a row. */
export interface TableColumn<T> {
  readonly title: string;
  readonly of: (row: T) => string;
}

const COLUMN_GAP = "  ";

/**
 * [C37] Aligned columns where they fit; otherwise each row as a small list, its first column above the others: columns
 * that are squeezed until they fit say nothing.
 */
export function tableLines<T>(columns: readonly TableColumn<T>[], rows: readonly T[], width: number): readonly Line[] {
  const widths = columns.map(({ title, of }) =>
    rows.reduce((most, row) => Math.max(most, columnsOf(of(row))), columnsOf(title)),
  );
  const isFitting = widths.reduce((sum, each) => sum + each + COLUMN_GAP.length, -COLUMN_GAP.length) <= width;
  if (!isFitting) return rows.flatMap((row) => rowAsListLines(columns, row, width));
  const text = (cells: readonly string[]): string =>
    cells.map((cell, at) => padColumns(cell, widths[at] ?? 0)).join(COLUMN_GAP);
  return [
    line(toned("dim", text(columns.map(({ title }) => title)))),
    ...rows.map((row) => line(text(columns.map(({ of }) => of(row))))),
  ];
}

function rowAsListLines<T>(columns: readonly TableColumn<T>[], row: T, width: number): readonly Line[] {
  const [first, ...others] = columns;
  const most = others.reduce((longest, { title }) => Math.max(longest, columnsOf(title)), 0);
  const lines = others.flatMap(({ title, of }) => {
    const text = of(row);
    return text === "" ? [] : [line(COLUMN_GAP, toned("dim", padColumns(title, most)), COLUMN_GAP, text)];
  });
  return [line(toned("strong", first?.of(row) ?? "")), ...lines].map((each) => fitLine(each, width));
}
