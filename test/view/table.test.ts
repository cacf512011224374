import { expect, it } from "vitest";
import { lineColumns, plainText, tableLines } from "../../src/core/view/line.ts";

const columns = [
  { title: "materia", of: (row: readonly string[]) => row[0] ?? "" },
  { title: "model", of: (row: readonly string[]) => row[1] ?? "" },
  { title: "yes overturned", of: (row: readonly string[]) => row[2] ?? "" },
];
const rows = [
  ["Build", "some/model", ""],
  ["प्रारूप", "some/other", "1 of 2"],
];

it("[C37] a table is aligned where it fits, and a list where it does not", () => {
  expect(plainText(tableLines(columns, rows, 80)).split("\n")).toEqual([
    "materia  model       yes overturned",
    "Build    some/model",
    expect.stringMatching(/^प्रारूप *some\/other  1 of 2$/),
  ]);
  const narrow = tableLines(columns, rows, 30);
  expect(plainText(narrow).split("\n")).toEqual([
    "Build",
    "  model           some/model",
    "प्रारूप",
    "  model           some/other",
    "  yes overturned  1 of 2",
  ]);
  expect(Math.max(...narrow.map(lineColumns))).toBeLessThanOrEqual(30);
});
