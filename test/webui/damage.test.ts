import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castOf, ended } from "../webserver/harness.ts";
import { look, served, withPages } from "./cast-page.ts";

withPages();

type Harm = (folder: string) => void;

const journal =
  (change: (lines: string[]) => readonly (string | Buffer)[]): Harm =>
  (folder) => {
    const file = join(folder, "journal.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, Buffer.concat(change(lines).flatMap((line) => [Buffer.from(line), Buffer.from("\n")])));
  };

const CUT = journal((lines) => lines.with(2, (lines[2] ?? "").slice(0, 30)));

/** What may become of the files of a cast, and what the page says of it then. */
const HARMS: readonly (readonly [harm: Harm, says: RegExp])[] = [
  [journal((lines) => lines.with(2, (lines[2] ?? "").replace('"seq"', '"sEq"'))), /damaged/],
  [CUT, /damaged/],
  [journal((lines) => lines.toSpliced(2, 1)), /damaged/],
  [journal((lines) => [lines[0] ?? "", Buffer.from([0xff, 0xfe, 0x00]), ...lines.slice(1)]), /damaged/],
  // As a process leaves it that was killed before its first line.
  [journal(() => []), /Interrupted/],
  [(folder) => writeFileSync(join(folder, "cast.json"), "{"), /cannot be shown/],
  [(folder) => rmSync(join(folder, "cast.json")), /cannot be shown/],
];

it("[W21] every damaged cast says what is wrong, and what is sound of it becomes a new one", async () => {
  const at = await served();
  const id = await castOf(at);
  await ended(at, id);
  const own = join(at.root, id);
  const whole = mkdtempSync(join(tmpdir(), "materia-whole-"));
  cpSync(own, whole, { recursive: true });
  const { page, complaints } = await look(at, "casts");
  for (const [act, words] of [...HARMS, [CUT, /damaged/] as const]) {
    for (const name of ["journal.jsonl", "cast.json"]) copyFileSync(join(whole, name), join(own, name));
    act(own);
    await page.goto("about:blank");
    await page.goto(`${at.url}#/casts/${id}`);
    await expect.poll(() => page.locator("main").innerText()).toMatch(words);
    // Each has a way on.
    await page
      .getByRole("main")
      .getByRole("link", { name: /^(All casts|Casts)$/ })
      .waitFor();
  }
  await page.getByRole("button", { name: "Save the undamaged part as a new cast" }).click();
  await expect.poll(() => page.url()).not.toContain(id);
  // The damaged one, which has the same heading, is there for a moment more.
  const damaged = page.locator("main").getByText(/damaged/);
  await expect.poll(() => damaged.count()).toBe(0);
  await page.getByRole("heading", { level: 1, name: "do it" }).waitFor();
  expect(await damaged.count()).toBe(0);
  expect(complaints.filter((text) => !/4\d\d/.test(text))).toEqual([]);
});
