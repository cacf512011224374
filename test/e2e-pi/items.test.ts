import { expect, it } from "vitest";
import { commitAll } from "../git/scratch.ts";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { openPiTui } from "../harness/pi-tui.ts";

const loadout = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Planner", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  },
  loops: { each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" }, parallel: 2 } },
};

it("[V15] while items are at work each has a row in Pi's widget: item, socket, how long, tokens and title", async () => {
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
  held.resolve();
  await pi.sees(/✓ completed {2}Two/);
});
