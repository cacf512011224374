import { expect, it } from "vitest";
import type { Page } from "playwright-core";
import { ended, project } from "../webserver/harness.ts";
import { expectSound } from "./axe.ts";
import { begin, chooseTargets, look, served, socket, withPages } from "./cast-page.ts";

withPages();

const PAIR = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build" },
  },
  layout: { "Socket-1": { x: 420, y: 40 }, "Socket-2": { x: 40, y: 200 } },
};
const LONG = {
  entry: "Socket-1",
  sockets: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `Socket-${index + 1}`,
      { materia: "Build", edges: index === 39 ? [] : [{ when: "always", to: `Socket-${index + 2}` }] },
    ]),
  ),
};

function withLoadouts() {
  const from = project();
  from.write("../config/pi/pi-materia/materia.json", { loadouts: { Pair: PAIR, Long: LONG } });
  return from;
}

async function leftOf(page: Page, id: string): Promise<number> {
  await socket(page, id).waitFor();
  return (await socket(page, id).boundingBox())?.x ?? Number.NaN;
}

it("[W39] a loadout with saved places is drawn so in its cast as in the editor", async () => {
  const at = await served(withLoadouts());
  const id = await begin(at, { Build: [{ text: "done" }] }, { loadout: "Pair" });
  await ended(at, id);
  const { page } = await look(at, "loadouts/Pair");
  expect(await leftOf(page, "Socket-2")).toBeLessThan((await leftOf(page, "Socket-1")) - 100);
  await page.goto(`${at.url}#/casts/${id}`);
  expect(await leftOf(page, "Socket-2")).toBeLessThan((await leftOf(page, "Socket-1")) - 100);
});

it("[W39] a chain is drawn with the places of its parts, in a new cast and in its cast, and all of it is in sight", async () => {
  const at = await served(withLoadouts());
  const replies = { Build: [{ text: "done" }] };
  const response = await at.send("/api/rehearse", {
    targets: ["Build", "Pair"],
    prompt: "go",
    replies,
    onEmpty: "repeat-last",
  });
  const { castId } = (await response.json()) as { castId: string };
  await ended(at, castId);
  const { page } = await look(at, `casts/${castId}`);
  expect(await leftOf(page, "Socket-3")).toBeLessThan((await leftOf(page, "Socket-2")) - 100);
  const panel = await page.getByRole("region", { name: "Graph" }).boundingBox();
  const right = await socket(page, "Socket-2").boundingBox();
  if (!panel || !right) throw new Error("there is no graph");
  expect(right.x + right.width).toBeLessThan(panel.x + panel.width);
  await page.goto(`${at.url}#/casts?new=`);
  await chooseTargets(page, "materia:Build", "loadout:Pair");
  await page.getByText("3 sockets, 1 stitch").waitFor();
  // Drawn small: the whole chain is in sight.
  expect(await leftOf(page, "Socket-3")).toBeLessThan((await leftOf(page, "Socket-2")) - 30);
});

it("[W40] a large graph of a cast is moved and fitted on a phone, and what cannot apply is not offered", async () => {
  const at = await served(withLoadouts());
  const id = await begin(at, { Build: [{ text: "done" }] }, { loadout: "Long" });
  await ended(at, id);
  const { page } = await look(at, `casts/${id}`, { width: 360 });
  await page.getByRole("tab", { name: "Graph" }).click();
  const box = await page.locator(".react-flow__pane").boundingBox();
  if (!box) throw new Error("there is no graph");
  expect(box.height).toBeLessThan(700);
  const top = async (name: string): Promise<number> => (await socket(page, name).boundingBox())?.y ?? Number.NaN;
  await socket(page, "Socket-3").waitFor();
  const before = await top("Socket-3");
  const [x, y] = [box.x + 12, box.y + 200];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 60, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => top("Socket-3")).toBeLessThan(before - 40);
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await expect.poll(() => top("Socket-40")).toBeLessThan(box.y + box.height);
  await page.getByRole("button", { name: "Draw it larger" }).click();
  await expect.poll(() => top("Socket-40")).toBeGreaterThan(box.y + box.height);
  await expectSound(page, [{ width: 360, theme: "light" }]);
});

it("[W40] a large graph that is fitted is seen, although its letters are too small to be read", async () => {
  const at = await served(withLoadouts());
  const { page } = await look(at, "loadouts/Long");
  const frame = () => socket(page, "Socket-1").evaluate((box) => getComputedStyle(box).boxShadow);
  const near = await frame();
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await expect.poll(frame).not.toBe(near);
});

it("[W40] a large graph has a map that leads to what is out of sight, and the wheel sees it closer", async () => {
  const at = await served(withLoadouts());
  const { page } = await look(at, "loadouts/Long");
  const map = page.locator("[data-graph] > svg");
  await socket(page, "Socket-1").waitFor();
  const zoom = (): Promise<number> =>
    page.evaluate(
      () =>
        new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport") ?? document.body).transform).a,
    );
  // Only fitted it is drawn smaller.
  await expect.poll(zoom).toBeLessThan(1);
  const before = await zoom();
  // Too long to be seen as a whole: it starts readable.
  expect(before).toBeGreaterThan(0.7);
  const box = await page.locator(".react-flow__pane").boundingBox();
  if (!box) throw new Error("there is no graph");
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.keyboard.down("Control");
  for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  await expect.poll(zoom).toBeGreaterThan(before * 1.5);
  const below = async (): Promise<boolean> =>
    ((await socket(page, "Socket-40").boundingBox())?.y ?? 0) > box.y + box.height;
  expect(await below()).toBe(true);
  const drawn = await map.boundingBox();
  const last = await map.locator("rect").nth(39).boundingBox();
  if (!drawn || !last) throw new Error("there is no map");
  await page.mouse.click(drawn.x + drawn.width / 2, last.y + last.height / 2);
  await expect.poll(below).toBe(false);
  await page.goto(`${at.url}#/loadouts/Pair`);
  await socket(page, "Socket-1").waitFor();
  expect(await map.count()).toBe(0);
});
