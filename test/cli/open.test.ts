import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { castsIn, newPlace, run } from "../harness/cli.ts";

const REPLIES = {
  replies: {
    Planner: [{ text: '{"workItems":[{"title":"a hut","context":""}]}' }],
    Build: [{ text: "the hut stands" }],
  },
};

let cwd = "";
let castId = "";

beforeAll(async () => {
  cwd = newPlace({ "replies.json": REPLIES });
  await run(["link", "Planner", "Build", "--rehearse", "replies.json", "--", "a hut"], { cwd });
  castId = castsIn(cwd)[0] ?? "";
});

it.each<[what: string, words: readonly string[], socket: string]>([
  ["no word: the last of the newest", [], "Socket-2"],
  ["its number", ["1"], "Socket-1"],
  ["its socket", ["Socket-1"], "Socket-1"],
  ["both", ["last", "Socket-2#1"], "Socket-2"],
])("[C38] open makes a session of Pi of a visit: by %s", async (_what, words, socket) => {
  const kept = conversation(socket);
  const { code, stdout } = await run(["open", ...words, "--json"], { cwd });
  expect(code).toBe(0);
  const opened = JSON.parse(stdout) as { readonly session: string };
  expect(opened).toMatchObject({ castId, socket, visit: 1 });
  expect(opened.session.startsWith(join(dirname(cwd), "home"))).toBe(true);
  const [header = "", ...entries] = readFileSync(opened.session, "utf8").trim().split("\n");
  expect(JSON.parse(header)).toMatchObject({ type: "session", cwd });
  // All that was said, and a name for it; the cast stays as it was.
  expect(entries.slice(0, -1)).toEqual(kept.trim().split("\n").slice(1));
  expect(JSON.parse(entries.at(-1) ?? "")).toMatchObject({
    type: "session_info",
    name: expect.stringContaining(`visit 1 of ${castId}`),
  });
  expect(conversation(socket)).toBe(kept);
});

it("[C38] it says how the session is opened", async () => {
  expect((await run(["open"], { cwd })).stdout).toMatch(/Build \(Socket-2\), visit 1[^]*pi --session \/\S+\.jsonl/);
});

it.each<[what: string, words: readonly string[], said: RegExp]>([
  ["a visit that was not", ["last", "Socket-9"], /unknown_visit[^]*one of Socket-1#1, Socket-2#1/],
  ["a cast that is not", ["20200101-000000-abc123", "1"], /unknown_cast/],
])("[C38] %s is refused, and no session is written", async (_what, words, said) => {
  const before = sessions();
  const { code, stderr } = await run(["open", ...words], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  expect(sessions()).toEqual(before);
});

it("[C38] visits are offered by their numbers", async () => {
  const { stdout } = await run(["completion", "words", "--", "open", castId, ""], { cwd });
  expect(stdout.trim().split("\n")).toEqual([
    expect.stringMatching(/^2\tBuild \(Socket-2\), visit 1/),
    expect.stringMatching(/^1\tPlanner \(Socket-1\), visit 1/),
  ]);
});

function sessions(): readonly string[] {
  return readdirSync(join(dirname(cwd), "home"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
}

function conversation(socket: string): string {
  return readFileSync(join(cwd, ".pi", "pi-materia", castId, "sockets", socket, "1", "transcript.jsonl"), "utf8");
}
