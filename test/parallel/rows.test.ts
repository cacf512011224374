import { expect, it } from "vitest";
import { NO_LIVE_ITEMS, advanceLiveItem, liveItemLines } from "../../src/core/view/progress/live-items.ts";
import { columnsOf, lineText } from "../../src/core/view/line.ts";
import { TIME } from "../harness/seats.ts";
import { itemsAtWork } from "./harness/at-work.ts";

const now = Date.parse(TIME) + 63_000;

async function rowsOf(titles: readonly string[], width: number): Promise<readonly string[]> {
  const { steps } = await itemsAtWork(titles);
  return liveItemLines(steps.reduce(advanceLiveItem, NO_LIVE_ITEMS), now, width).map(lineText);
}

const TITLES: readonly (readonly [script: string, title: string, first: string])[] = [
  ["Hindi", "हिन्दी में लिखा हुआ क्षत्रिय ज्ञान और उसके बाद भी बहुत कुछ", "हिन्दी"],
  ["Thai", "ภาษาไทยไม่มีช่องว่างระหว่างคำและกำลังทำงานอยู่", "ภาษาไ"],
  ["Burmese", "မြန်မာဘာသာစကားဖြင့်ရေးထားသောစာကြောင်းရှည်", "မြန်"],
  ["Arabic", "مرحبا بالعالم هذا عنوان طويل لا ينتهي في سطر واحد", "مرحبا"],
  ["clusters of emoji", "👩‍👩‍👧‍👦🇩🇪👍🏽❤️1️⃣ and more of it and more of it and more", "👩‍👩‍👧‍👦🇩🇪"],
  ["500 characters", `begins ${"x".repeat(493)}`, "begins"],
];

it.each(TITLES)(
  "[V15] a title in %s is begun in its row at 40, 60 and 80 columns, behind item, socket, time and tokens",
  async (_script, title, first) => {
    for (const width of [40, 60, 80]) {
      const [row = "", ...more] = await rowsOf([title], width);
      expect([more, columnsOf(row) <= width]).toEqual([[], true]);
      expect(row).toMatch(/^▸ WI-1 Build +1:03 · 0( tokens)? {2}/);
      expect(row.slice(row.indexOf("  ", 20)).trim()).toMatch(new RegExp(`^${first}`, "u"));
    }
  },
);

it("[V15] rows stand below each other in one way, brief where one of them has no room for its title", async () => {
  const rows = await rowsOf(["a small hut", "a garden"], 44);
  expect(rows).toEqual(["▸ WI-1 Build 1:03 · 0  a small hut", "▸ WI-2 Build 1:03 · 0  a garden"]);
  expect(liveItemLines(NO_LIVE_ITEMS, now, 44)).toEqual([]);
});

it("[B54, V15] a long title is cut to leave room for the worker", async () => {
  const { steps } = await itemsAtWork(TITLES.map(([, title]) => title.repeat(3)));
  const by = steps.map((step) =>
    step.event.type === "cast_started" ? { ...step, event: { ...step.event, worker: "vm-4711-abcdef" } } : step,
  );
  for (const width of [60, 100]) {
    const rows = liveItemLines(by.reduce(advanceLiveItem, NO_LIVE_ITEMS), now, width).map(lineText);
    expect(rows.map((row) => columnsOf(row) <= width)).toEqual(TITLES.map(() => true));
    expect(rows.map((row) => row.endsWith("…  on vm-4711-abcdef"))).toEqual(TITLES.map(() => width === 100));
    TITLES.forEach(([, , first], index) => expect(rows[index]).toContain(first));
  }
});
