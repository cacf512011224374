import { expect, it } from "vitest";
import { REPLIES, REPLY_AT_GO, begin, look, says, served, withPages } from "./cast-page.ts";

withPages();

it("[W38] eight tabs of one browser all show a cast as it goes on, and none keeps another from loading", async () => {
  const at = await served();
  const [plan] = REPLIES["Auto-Plan"];
  const id = await begin(at, { ...REPLIES, "Auto-Plan": [{ ...plan, tools: REPLY_AT_GO.tools }] });
  const { page: first, complaints } = await look(at, `casts/${id}`);
  await says(first, "Add a greeting");
  const tabs = [first];
  for (let tab = 2; tab <= 8; tab += 1) {
    const page = await first.context().newPage();
    await page.goto(`${at.url}#/casts/${id}`);
    await says(page, "Add a greeting");
    tabs.push(page);
  }
  at.write("go", "");
  for (const page of tabs) await says(page, "Completed");
  // The tab that heard the list for all is closed, and the list goes on.
  await first.close();
  await begin(at, REPLIES, { prompt: "After the first was closed" });
  for (const page of tabs.slice(1)) {
    await page.goto(`${at.url}#/casts`);
    await says(page, "After the first was closed");
  }
  expect(complaints).toEqual([]);
});
