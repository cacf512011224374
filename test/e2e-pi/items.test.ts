import { expect, it } from "vitest";
import { commitAll } from "../git/scratch.ts";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { KEYS, openPiTui } from "../harness/pi-tui.ts";

const ALT_W = "\u001bw";
const loadout = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Planner", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  },
  loops: { each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" }, parallel: 2 } },
};

it("[V15] while items are at work each has a row in Pi's widget, also in a Pi that watches another's: item, socket, how long, tokens and title", async () => {
  const held = Promise.withResolvers<void>();
  const workItems = ["a small hut", "a garden"].map((title) => ({ title, context: "" }));
  const built = { text: "It stands.", until: held.promise, usage: { input: 9000, output: 800 } };
  const place = await newPiPlace(
    { ".gitignore": ".pi/\n", ...userConfig({ loadouts: { Two: loadout } }) },
    { text: JSON.stringify({ workItems }) },
    built,
    built,
  );
  commitAll(place.cwd);
  const pi = await openPiTui(place);
  await pi.send("/materia cast --loadout Two build me a village");
  const seen = await pi.sees(/▸ WI-1 Build .* tokens {2}a small hut/, /▸ WI-2 Build .* tokens {2}a garden/);
  expect(seen).toMatch(/Loop each {2}2 items at work/);
  expect(seen).toMatch(/◔ materia · 2 items at work/);
  expect(seen).not.toContain("visit 0");
  const other = await openPiTui(place);
  await other.send("/materia watch");
  await other.sees(/▸ WI-1 Build .* tokens {2}a small hut/, /▸ WI-2 Build .* tokens {2}a garden/, /another process/);
  other.type(ALT_W);
  await other.sees(/▸ Build \(Socket-2\), visit 1, WI-[12]/);
  other.type(KEYS.escape);
  held.resolve();
  await pi.sees(/✓ completed {2}Two/);
  await other.sees(/✓ completed {2}Two/);
});
