import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castHere, lastCast, repositoryPlace, writes } from "../git/cast-place.ts";
import { type Project, ended } from "../webserver/harness.ts";
import { begin, look, says, served, withPages, type Look, type Seen, type ServedCast } from "./cast-page.ts";

withPages();

const MANY = Array.from({ length: 6_000 }, (_, index) => `const line${index} = ${index}; // "x"`).join("\n");
const REPLIES = {
  Make: [
    writes({ "src/a.ts": "const a = 1;\n", "b.txt": "b\n", "many.ts": MANY }),
    writes({ "src/a.ts": "const a = 2;\n" }),
  ],
  Look: [{ json: { satisfied: false, context: "a second line" } }, { json: { satisfied: true } }],
};

async function filesOf(how: Look = {}): Promise<Seen & { readonly at: ServedCast; readonly id: string }> {
  const cwd = repositoryPlace(REPLIES);
  await castHere(cwd);
  const place: Project["place"] = { cwd, env: { HOME: join(cwd, "../home"), PATH: process.env["PATH"] } };
  const at = await served({ place, cwd, root: join(cwd, ".pi", "pi-materia"), write: () => "" });
  const id = lastCast(cwd);
  const seen = await look(at, `casts/${id}`, how);
  return { ...seen, at, id };
}

describe("files of a cast in the browser", () => {
  it("[W44, W25] the result leads to the files of the whole cast, also when its last visit changed none", async () => {
    const { page } = await filesOf();
    await page.getByRole("region", { name: "Result" }).getByRole("button", { name: "4 files, +6003 −0" }).click();
    await page.getByRole("button", { name: /many\.ts/ }).waitFor();
    expect(await page.getByRole("button", { name: "Cast", exact: true }).getAttribute("aria-pressed")).toBe("true");
    // A visit that is then chosen shows its own.
    await page.getByRole("button", { name: "First visit" }).click();
    await expect
      .poll(() => page.getByRole("button", { name: "Visit", exact: true }).getAttribute("aria-pressed"))
      .toBe("true");
  });

  it("[W25, W26] of a visit, of the whole cast, and from a file to the visit that changed it", async () => {
    const { page, complaints } = await filesOf();
    const changed = page.getByRole("button", { name: /^Make, no item, .*, done, changed 3 files, \+6002 −0$/ });
    await changed.press("Enter");
    await page.keyboard.press("6");
    await page.getByRole("button", { name: /a\.ts.*added/ }).click();
    const diff = page.getByRole("region", { name: "Diff of src/a.ts" });
    await says(page, "const a = 1;");
    expect(await diff.getByRole("list", { name: "Changed by" }).getByRole("button").allTextContents()).toEqual([
      "Make 1",
      "Make 2",
    ]);
    await diff.getByRole("button", { name: "Make 2" }).click();
    await says(page, "Make Socket-1 · visit 2");
    await expect.poll(() => diff.textContent(), { timeout: 120_000 }).toContain("const a = 2;");
    await page.getByRole("button", { name: "Side by side" }).click();
    await expect.poll(() => diff.textContent()).toContain("removed: const a = 1;added: const a = 2;");
    await page.reload();
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("button", { name: "Cast", exact: true }).click();
    await says(page, "4 files, +6003 −0");
    await expect
      .poll(() => page.getByRole("button", { name: "Side by side" }).getAttribute("aria-pressed"))
      .toBe("true");
    expect(complaints).toEqual([]);
  });

  it("[W25] a long diff is drawn as it comes near", async () => {
    const { page } = await filesOf();
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("button", { name: "First visit" }).click();
    await page.getByRole("button", { name: /many\.ts/ }).click();
    const diff = page.getByRole("region", { name: "Diffs" });
    await says(page, "line50 =");
    expect(await diff.locator("code").count()).toBeLessThan(1_000);
    await diff.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await says(page, "line5999 =");
    expect(await diff.locator("code").count()).toBeLessThan(3_000);
    await expect.poll(() => page.getByText("(no line break at the end)").count()).toBe(1);
  });

  it("[W25] where files were not kept, the page says why and asks for nothing", async () => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    const { page, complaints } = await look(at, `casts/${id}`);
    await page.getByRole("tab", { name: "Files" }).click();
    await says(page, /This cast has no checkpoints of its files: /);
    expect(complaints).toEqual([]);
  });
});
