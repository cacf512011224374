/** `12,345`, `3.4`: as many digits as anyone reads. */
export function numberText(value: number): string {
  const shown = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return shown.toLocaleString("en-US");
}

export function msText(value: number): string {
  return `${numberText(value)} ms`;
}

export function bytesText(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} GB`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} MB`;
  return value >= 10_000 ? `${(value / 1e3).toFixed(0)} kB` : `${numberText(value)} B`;
}

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}
