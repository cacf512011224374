import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf, newPlace, run } from "../harness/cli.ts";

const config = (judge: object = {}) => ({
  materia: {
    Build: { prompt: "Build.", tools: "coding", conversation: "item" },
    Judge: { prompt: "Judge.", parse: "json", conversation: "item", ...judge },
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Judge", edges: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 12 }] },
      },
    },
  },
});
const write = (content: string) => ({ name: "write", arguments: { path: "a.txt", content } });
const built = (content: string) => ({ tools: [write(content)], text: "built" });
const NO = { satisfied: false, context: "it must say more" };
const YES = { satisfied: true, context: "" };

interface PlayedCast {
  readonly code: number | null;
  /** Of every visit: its socket, and what it continues or why it is fresh. */
  readonly visits: readonly string[];
  readonly read: (path: string) => string;
}

const ARGS = ["--config", "c.json", "--rehearse", "r.json", "--json"];

/** A cast of these replies. Given a change, its judge answers only after somebody has changed the builder's transcript. */
async function played(
  replies: { readonly Build: readonly object[]; readonly Judge: readonly object[] },
  { judge = {}, change }: { judge?: object; change?: (transcript: string) => string } = {},
): Promise<PlayedCast> {
  const first = change ? { ...replies, Judge: [] } : replies;
  const cwd = newPlace({ "c.json": config(judge), "r.json": { replies: first } });
  let { code, stdout } = await run(["cast", ...ARGS, "--loadout", "Main", "x"], { cwd });
  const castId = /"castId":"([^"]+)"/.exec(stdout)?.[1] ?? "";
  const read = (path: string) => readFileSync(join(cwd, ".pi/pi-materia", castId, path), "utf8");
  if (change) {
    const path = "sockets/Socket-1/1/transcript.jsonl";
    writeFileSync(join(cwd, ".pi/pi-materia", castId, path), change(read(path)));
    writeFileSync(join(cwd, "r.json"), JSON.stringify({ replies }));
    ({ code } = await run(["recast", castId, ...ARGS], { cwd }));
  }
  const visits = eventsOf(read("journal.jsonl")).flatMap((event) =>
    event.type === "visit_started" ? [`${event.socket} ${event.continues ?? event.fresh ?? "-"}`] : [],
  );
  return { code, visits, read };
}

const ONCE = { Build: [built("1"), built("2")], Judge: [{ json: NO }, { json: YES }] };

const IMAGE = JSON.stringify({ type: "image", data: "A".repeat(400_000), mimeType: "image/png" });

it.each<[what: string, change: (transcript: string) => string, again: string]>([
  ["is cut in the middle of a line", (text) => text.slice(0, -200), "missing"],
  ["has a line of something else in it", (text) => text.replace("\n", "\n\u0000\u0007 not JSON\n"), "missing"],
  ["is of another conversation", (text) => text.replaceAll(/"parentId":"[^"]+"/g, '"parentId":"elsewhere"'), "missing"],
  ["was made longer than 3 MB", (text) => text.replace("built", `built ${"x".repeat(3_000_000)}`), "length"],
  [
    "has an image in it",
    (text) => text.replace('{"type":"text","text":"## Request', `${IMAGE},{"type":"text","text":"## Request`),
    "1",
  ],
  ["says something else now", (text) => text.replace('"built"', '"built by somebody"'), "1"],
])("[I4, I5] a transcript that %s is continued or not, and the cast goes on", async (_what, change, again) => {
  const { code, visits, read } = await played(ONCE, { change });
  expect([code, visits[2]]).toEqual([0, `Socket-1 ${again}`]);
  const prompt = read("sockets/Socket-1/2/prompt.md");
  expect(prompt).toContain("it must say more");
  // A new conversation receives everything, a continued one only what is new.
  expect(prompt.includes("## Request")).toBe(again !== "1");
});

it("[I1, I2] a builder that is sent back ten times receives each reason once, and its requests begin alike", async () => {
  const Build = Array.from({ length: 11 }, (_, at) => built(String(at)));
  const Judge = Array.from({ length: 11 }, (_, at) => ({
    json: at === 10 ? YES : { ...NO, context: `reason ${at}.` },
  }));
  const { code, visits, read } = await played({ Build, Judge });
  expect(code).toBe(0);
  expect(visits.filter((visit) => visit.startsWith("Socket-1")).at(-1)).toBe("Socket-1 10");
  const said = read("sockets/Socket-1/11/transcript.jsonl");
  for (let at = 0; at < 10; at += 1) expect(said.split(`reason ${at}.`)).toHaveLength(2);
  expect(said.startsWith(read("sockets/Socket-1/10/transcript.jsonl"))).toBe(true);
});

const call = (given: object) => ({ name: "hand_over", arguments: given });

it("[H25, I1] a judge that hands over by a tool continues its conversation", async () => {
  const Judge = [{ tools: [call(NO)] }, { tools: [call(YES)] }];
  const { code, visits, read } = await played({ Build: ONCE.Build, Judge }, { judge: { handoff: "tool" } });
  expect([code, visits]).toEqual([0, ["Socket-1 -", "Socket-2 -", "Socket-1 1", "Socket-2 1"]]);
  expect(read("sockets/Socket-2/2/transcript.jsonl").startsWith(read("sockets/Socket-2/1/transcript.jsonl"))).toBe(
    true,
  );
});
