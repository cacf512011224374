import { renameSync } from "node:fs";
import { expect, it } from "vitest";
import { commitAll } from "../git/scratch.ts";
import { castsIn, journalOf } from "../harness/cli.ts";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { KEYS, openPiTui, openPiTuiAt } from "../harness/pi-tui.ts";

const ALT_W = "\u001bw";
const parallelLoadout = (parallel: number): object => ({
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Planner", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  },
  loops: { each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" }, parallel } },
});

it("[V15] while items are at work each has a row in Pi's widget, also in a Pi that watches another's: item, socket, how long, tokens and title", async () => {
  const held = Promise.withResolvers<void>();
  const workItems = ["a small hut", "a garden"].map((title) => ({ title, context: "" }));
  const built = { text: "It stands.", until: held.promise, usage: { input: 9000, output: 800 } };
  const place = await newPiPlace(
    { ".gitignore": ".pi/\n", ...userConfig({ loadouts: { Two: parallelLoadout(2) } }) },
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

const HINDI = "यह हिन्दी में लिखा हुआ एक बहुत लंबा शीर्षक है जिसमें क्षत्रिय और ज्ञान जैसे शब्द हैं";
const MIXED = "ภาษาไทยไม่มีช่องว่างระหว่างคำ မြန်မာဘာသာစကား مرحبا بالعالم";
const LONG = "👩‍👩‍👧‍👦🇩🇪👍🏽❤️1️⃣ ".repeat(30);

it("[V15, X27] rows of any script fit a narrow Pi and one that watches while agents stream slowly; killed and moved, the cast is named and goes on", async () => {
  const halves = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const workItems = [HINDI, MIXED, LONG].map((title) => ({ title, context: title }));
  const place = await newPiPlace(
    { ".gitignore": ".pi/\n", ...userConfig({ loadouts: { Three: parallelLoadout(3) } }) },
    { text: JSON.stringify({ workItems }) },
    ...halves.map(({ promise }) => ({ text: `${HINDI} ${MIXED} ${LONG}`, until: promise })),
  );
  commitAll(place.cwd);
  const pi = await openPiTuiAt({ columns: 40, rows: 40 }, place);
  await pi.send("/materia cast --loadout Three huts");
  const rows = [1, 2, 3].map((item) => new RegExp(`▸ WI-${item} Build +\\d+:\\d\\d · \\d+( tokens)? {2}\\S`));
  await pi.sees(...rows, /3 items at work/);
  const other = await openPiTuiAt({ columns: 60, rows: 40 }, place);
  await other.send("/materia watch");
  await other.sees(...rows, /3 items at work/);
  halves[0]?.resolve();
  await Promise.all([pi.sees(/2 items at work/), other.sees(/2 items at work/)]);
  pi.kill();
  other.kill();
  await Promise.all([pi.exited, other.exited]);

  const moved = { ...place, cwd: `${place.cwd} moved` };
  renameSync(place.cwd, moved.cwd);
  place.model.say({ text: "It stands." }, { text: "It stands." });
  const again = await openPiTuiAt({ columns: 60, rows: 40 }, moved);
  await again.sees(/The cast “huts” was interrupted/);
  await again.send("/materia recast");
  await again.sees(/✓ completed {2}Three/);
  const [castId = "", ...more] = castsIn(moved.cwd);
  expect([more, journalOf(moved.cwd, castId).at(-1)]).toMatchObject([[], { type: "cast_ended", outcome: "completed" }]);
});
