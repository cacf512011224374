import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { castsIn, put, run } from "../harness/cli.ts";
import { newPiPlace } from "../harness/pi-place.ts";
import { openPiTui } from "../harness/pi-tui.ts";

const CONFIG = {
  materia: { Ask: { type: "person", question: "May I drop the old table?" } },
  loadouts: { Asks: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } } },
  activeLoadout: "Asks",
};

it("[YI6] the real Pi counts the casts that wait in other projects, lists them, and answers there", async () => {
  const place = await newPiPlace();
  const shop = join(dirname(place.cwd), "shop");
  mkdirSync(shop);
  put(shop, { ".pi/pi-materia.json": CONFIG });
  await run(["cast", "--quiet", "--trust", "Migrate the cart"], { cwd: shop });
  const [castId = ""] = castsIn(shop);
  const pi = await openPiTui(place, "--approve");
  await pi.sees(/\[materia inbox: 1\]/);
  await pi.send("/materia inbox");
  expect(await pi.sees(/Migrate the cart/, /May I drop/)).toContain(`/materia continue ${castId}`);
  await pi.send(`/materia continue ${castId}`);
  await pi.sees(/This cast is of .*shop/);
});

it("[X52, YQ8] the process of the queue has Pi's trust in the project", async () => {
  const place = await newPiPlace({ ".pi/pi-materia.json": CONFIG });
  const pi = await openPiTui(place, "--approve");
  await pi.send("/materia queue add Migrate the cart");
  await pi.sees(/1 request added/);
  await pi.send("/materia queue run");
  expect(await pi.sees(/Process \d+ casts 1 request in the background/)).not.toContain("untrusted");
});
