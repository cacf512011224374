import { join } from "node:path";
import { expect, it } from "vitest";
import { ended, project } from "../webserver/harness.ts";
import { git, writeFiles } from "../parallel/harness/repository.ts";
import { begin, look, says, served, socket, withPages, type ServedCast } from "./cast-page.ts";

withPages();

/** Per item, two at once: Build, then Maintain. */
const LOADOUT = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": { materia: "Maintain", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  },
  loops: {
    each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" }, parallel: 2 },
  },
};

/** A repository in which the first item stays at Build and the second at Maintain until there is a file `navigate`. */
async function begun(): Promise<{ readonly at: ServedCast; readonly id: string; readonly go: () => void }> {
  const from = project();
  writeFiles(from.cwd, {
    ".gitignore": ".pi/pi-materia/\ngo\n",
    "same.txt": "before\n",
    ".pi/pi-materia.json": JSON.stringify({ loadouts: { Two: LOADOUT } }),
  });
  git(from.cwd, "init", "-q");
  git(from.cwd, "add", "-A");
  git(from.cwd, "commit", "-qm", "first");
  const file = join(from.cwd, "go");
  const waits = { name: "bash", arguments: { command: `while [ ! -e '${file}' ]; do sleep 0.05; done` } };
  const writes = (content: string) => ({ name: "write", arguments: { path: "same.txt", content } });
  const at = await served(from);
  const replies = {
    "Auto-Plan": [{ json: { workItems: ["first", "second"].map((title) => ({ title, context: "c" })) } }],
    "Build@WI-1": [{ tools: [waits, writes("one\n")], text: "one" }],
    "Build@WI-2": [{ tools: [writes("two\n")], text: "two" }],
    "Build@WI-2.2": [{ tools: [writes("one, two\n")], text: "both" }],
    "Maintain@WI-2": [{ tools: [waits], text: "tidy" }],
    Maintain: [{ text: "tidy" }],
  };
  const trusting = {
    ...at,
    send: (path: string, body: unknown) => at.send(path, { ...(body as object), trust: true }),
  };
  const id = await begin(trusting, replies, { loadout: "Two" });
  return { at, id, go: () => at.write("go", "") };
}

it("[V25] the graph shows at which sockets items are at work, and how many at each, also to who comes later", async () => {
  const { at, id, go } = await begun();
  const { page, complaints } = await look(at, `casts/${id}`);
  const tags = () => Promise.all(["Socket-2", "Socket-3"].map((each) => socket(page, each).textContent()));
  const both = [expect.stringContaining("1 item at work"), expect.stringContaining("1 item at work")];
  await expect.poll(tags).toEqual(both);
  await expect.poll(() => page.locator('[aria-current="step"]').count()).toBe(2);
  await page.reload();
  await expect.poll(tags).toEqual(both);
  go();
  await ended(at, id);
  await says(page, "Completed");
  expect(complaints).toEqual([]);
});

it("[V23, W45] each item has a row with its attempts, its conflict and its merge, and each leads to its own cast", async () => {
  const { at, id, go } = await begun();
  go();
  await ended(at, id);
  const { page, complaints } = await look(at, `casts/${id}`);
  const attempt = (name: RegExp) => page.getByRole("link", { name });
  await attempt(/^Item 2, attempt 2, .* done: open its cast$/).waitFor();
  await expect.poll(() => attempt(/^Item \d, attempt \d, .* done: open its cast/).count()).toBe(3);
  await expect.poll(() => page.getByText("in conflict: same.txt").count()).toBe(1);
  await expect.poll(() => page.getByText(/^merged at [0-9a-f]{9}$/).count()).toBe(2);
  await expect.poll(() => socket(page, "Socket-2").textContent()).toContain("3×");
  await expect.poll(() => page.getByText("2 at once").count()).toBe(1);
  await says(page, /^6 visits$/);
  await page
    .getByRole("link", { name: /^Build, / })
    .last()
    .click();
  await page.waitForURL(`**/casts/${id}_1_WI-2_2?visit=Socket-2*`);
  await page.getByRole("heading", { level: 1, name: "second" }).waitFor();
  await expect.poll(() => socket(page, "Socket-2").textContent()).toContain("1×");
  await page.getByRole("link", { name: "Add a greeting" }).click();
  await page.waitForURL((url) => url.hash.endsWith(id));
  expect(complaints).toEqual([]);
});
