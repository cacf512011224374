import { expect, it } from "vitest";
import type { CastId } from "../../src/core/model/ids.ts";
import { itemTableLines, type ItemRow } from "../../src/core/view/report/item-table.ts";
import { lineText } from "../../src/core/view/line.ts";

const ROW: ItemRow = {
  loop: "each",
  fork: 1,
  index: 0,
  key: "WI-1",
  title: "a small hut",
  child: "20261116-084202-mq8zgp_1_WI-1" as CastId, // as a journal has it
  attempt: 1,
  status: "running",
  gaveUp: false,
  base: "",
  commit: null,
  merged: null,
  files: null,
  conflicts: [],
  ref: null,
  worker: "a-machine-with-a-name-1234-abcdef",
};

it.each([
  [120, "▸ 20261116-084202-mq8zgp_1_WI-1  at work  a small hut  on a-machine-with-a-name-1234-abcdef"],
  [60, "▸ 20261116-084202-mq8zgp_1_WI-1  at work  a small hut  on a…"],
])("[B54] an item's title comes before its worker: %i columns", (width, said) => {
  const lines = itemTableLines(
    { rows: [ROW], waiting: null },
    { alive: true, width, trees: new Map(), aside: new Map() },
  );
  expect(lines.map(lineText)).toContain(said);
});
