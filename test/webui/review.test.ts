import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { put } from "../harness/cli.ts";
import { repositoryPlace, writes } from "../git/cast-place.ts";
import { ended, type Project } from "../webserver/harness.ts";
import { DARK, SMALL, WIDE, expectSound, show } from "./axe.ts";
import { look, says, served, withPages, type ServedCast } from "./cast-page.ts";

withPages();

const REPLIES = {
  Make: [writes({ "src/a.ts": "const a = 1;\n" }), writes({ "src/a.ts": "const answer = 1;\n" })],
  Look: [{ json: { satisfied: true } }, { json: { satisfied: true } }],
};

/** A project in a repository, and a cast of it that has ended in a separate working tree. */
async function endedApart(): Promise<{ readonly at: ServedCast; readonly id: string; readonly cwd: string }> {
  const cwd = repositoryPlace(REPLIES);
  const top = join(cwd, "..");
  put(cwd, { "../config/pi/pi-materia/materia.json": readFileSync(join(top, "home/materia.json"), "utf8") });
  const env = { HOME: join(top, "home"), XDG_CONFIG_HOME: join(top, "config"), PATH: process.env["PATH"] };
  const place: Project["place"] = { cwd, env };
  const at = await served({ place, cwd, root: join(cwd, ".pi", "pi-materia"), write: () => "" });
  const started = await at.send("/api/commands", {
    command: { kind: "cast", prompt: "Say the answer", literal: true },
    options: { worktree: true, rehearse: join(top, "home/replies.json") },
  });
  const { castId } = (await started.json()) as { castId: string };
  await ended(at, castId);
  return { at, id: castId, cwd };
}

it("[YW1, YW2, YW3] comments on lines send a result back, and the mended one is merged", async () => {
  const { at, id, cwd } = await endedApart();
  const { page, complaints } = await look(at, `casts/${id}`);
  const review = page.getByRole("dialog", { name: "Review" });
  await page.getByRole("button", { name: "Review…" }).click();
  const sendBack = review.getByRole("button", { name: "Send back" });
  await expect.poll(() => sendBack.getAttribute("aria-disabled")).toBe("true");
  await review.getByRole("button", { name: "Comment on src/a.ts:1" }).click();
  await review.getByRole("textbox", { name: "Comment on src/a.ts:1" }).fill("call it answer");
  await review.getByText("src/a.ts:1: call it answer").waitFor();
  await expectSound(page, [WIDE, SMALL, DARK]);
  // On a phone with large letters nothing covers the field and its button.
  await page.setViewportSize({ width: 360, height: 780 });
  await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
  const taking = review.getByRole("group", { name: "Take the work" });
  const [above, below] = await Promise.all([sendBack.boundingBox(), taking.boundingBox()]);
  expect(above && below && above.y + above.height <= below.y).toBe(true);
  await show(page, WIDE);
  // The comment is a draft: it is there after a reload.
  await page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes("call it answer")));
  await page.reload();
  await review.getByText("src/a.ts:1: call it answer").waitFor();
  await review.getByText("Make continues with this in a new cast.").waitFor();
  await sendBack.click();
  await review.waitFor({ state: "detached" });
  await expect.poll(() => page.url()).not.toContain(id);
  await says(page, "Completed");
  const fork = page.url().split("/").at(-1)?.split("?")[0] ?? "";
  const prompt = await at.ask(`/api/casts/${fork}/files/Socket-1/2/prompt.md`);
  expect(await prompt.text()).toContain("src/a.ts:1: call it answer");
  await page.getByRole("button", { name: "Review…" }).click();
  await review.getByText("const answer = 1;").waitFor();
  expect(await review.getByText("call it answer").count()).toBe(0);
  await review.getByRole("button", { name: "Merge" }).click();
  await review.getByText("Merged into your current branch").waitFor();
  expect(readFileSync(join(cwd, "src/a.ts"), "utf8")).toBe("const answer = 1;\n");
  await review.getByRole("button", { name: "Open a pull request" }).click();
  await review.getByText(/no remote/).waitFor();
  await review.getByRole("button", { name: "Take" }).click();
  await review.getByText("The work is on its branch").waitFor();
  expect(execFileSync("git", ["branch", "--list", `materia/${fork}`], { cwd, encoding: "utf8" })).toContain(fork);
  expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
});
