import { beforeAll, describe, expect, it } from "vitest";
import { castsIn, journalOf } from "../harness/cli.ts";
import { newPiPlace } from "../harness/pi-place.ts";
import { lastAsked } from "../harness/pi-seen.ts";
import { KEYS, openPiTuiAt } from "../harness/pi-tui.ts";

/** An agent that reads, writes and edits while it is looked at, and what was said with it afterwards. */
async function looked() {
  const held = Promise.withResolvers<void>();
  const place = await newPiPlace(
    {},
    { call: { name: "bash", arguments: { command: "echo first; echo ไทย" } } },
    { call: { name: "write", arguments: { path: "hut.txt", content: "one\ntwo\nthree\n" } } },
    { call: { name: "edit", arguments: { path: "hut.txt", edits: [{ oldText: "two", newText: "a roof" }] } } },
    { text: "The **hut** stands, and this is how it was built.", until: held.promise },
    { text: "Because of the rain." },
  );
  const pi = await openPiTuiAt({ columns: 80, rows: 24 }, place);
  await pi.send("/materia link Build -- a hut");
  await pi.sees(/» The \*\*hut\*\* stands/);
  pi.type(ALT_W);
  const end = await pi.sees(/▸ Build \(Socket-1\), visit 1/, /The hut stands/, /Esc closes/);
  pi.type(HOME);
  const start = await pi.sees(/more rows below/, /\$ echo first/, /a hut/);
  pi.type(PAGE_DOWN);
  const diff = await pi.sees(/-2 two/, /\+2 a roof/);
  held.resolve();
  pi.type(END);
  const over = await pi.sees(/■ Build/, /how it was built\./);
  pi.type(KEYS.escape);
  await pi.sees(/✓ completed/);
  const [castId = ""] = castsIn(place.cwd);
  const before = journalOf(place.cwd, castId);
  await pi.send("/materia open 1");
  const opened = await pi.sees(/Resumed session/, /The hut stands/);
  await pi.send("why a roof?");
  await pi.sees(/Because of the rain\./);
  const unchanged = JSON.stringify(journalOf(place.cwd, castId)) === JSON.stringify(before);
  const raw = pi.raw();
  pi.type(KEYS.ctrlD);
  return { place, end, start, diff, over, opened, unchanged, raw, exit: await pi.exited };
}

const ALT_W = "\u001bw";
const HOME = "\u001b[H";
const END = "\u001b[F";
const PAGE_DOWN = "\u001b[6~";

describe("an agent that is looked at while it works", () => {
  let seen: Awaited<ReturnType<typeof looked>>;
  beforeAll(async () => {
    seen = await looked();
  });

  it("[X43] a key opens all it says and does, up to what it is saying now, and scrolls through it", () => {
    expect(seen.end).toContain("Esc closes");
    expect(seen.start).toContain("first");
    expect(seen.start).toContain("a hut");
    expect(seen.diff).toContain("a roof");
  });

  it("[X43] it follows to the end of the turn, and the cast has continued", () => {
    expect(seen.over).toContain("The hut stands, and this is how it was built.");
  });

  it("[X44] a finished visit is opened as a separate session, in which one can ask on", () => {
    expect(seen.opened).toContain("The hut stands");
    const asked = lastAsked(seen.place.model).said;
    expect(asked.at(-1)).toBe("user: why a roof?");
    expect(asked.join("\n")).toContain("assistant: The **hut** stands");
    expect(seen.unchanged).toBe(true);
    expect(seen.exit).toBe(0);
  });
});
