import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { castFile, castsIn, listing, newPlace, readText, run } from "../harness/cli.ts";
import { openTerminal } from "../harness/terminal.ts";

interface Context {
  readonly castId: string;
  readonly request: string;
  readonly outcome: string;
  readonly handoff: object | null;
  readonly workItems: readonly object[];
  readonly artifacts: readonly {
    readonly path: string;
    readonly size: number;
    readonly cut: boolean;
    readonly text: string;
  }[];
}

const node = (code: string, more: object = {}) => ({ type: "utility", command: ["node", "-e", code], ...more });
const COUNT = 25;
const plan = JSON.stringify({
  workItems: Array.from({ length: COUNT }, (_, index) => ({ title: `item ${index + 1}`, context: "c" })),
});
/** Two bytes for each character, one at the end: every cut goes through the middle of one. */
const LONG = "console.log('é'.repeat(2500))";

const conf = {
  checkpoints: false,
  activeLoadout: "Before",
  materia: {
    Plan: node(`console.log(${JSON.stringify(plan)})`, { generator: true }),
    Long: node(LONG),
    Last: node(`console.log(JSON.stringify({ satisfied: true, context: "all done", state: { secret: 1 } }))`, {
      parse: "json",
    }),
    Sleep: node("setTimeout(() => {}, 3_600_000)"),
    Tell: node("console.log('told')"),
    Opted: { prompt: "Before: {{state.previousCastContext}}" },
    Plain: { prompt: "Do it." },
  },
  loadouts: {
    Before: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Long", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-3": { materia: "Last" },
      },
      loops: {
        each: {
          sockets: ["Socket-2"],
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [{ id: "out", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }],
        },
      },
    },
    Sleeping: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Sleep" } } },
  },
};

let cwd: string;
let earlier: string;
const config = ["--config", "conf.json"];

beforeAll(async () => {
  cwd = newPlace({
    "conf.json": conf,
    "replies.json": { replies: { Opted: [{ text: "opted" }], Plain: [{ text: "plain" }] } },
  });
  const cast = await run(["cast", ...config, "do the first part"], { cwd });
  if (cast.code !== 0) throw new Error(cast.stderr);
  [earlier = ""] = castsIn(cwd);
});

/** Links a utility behind an earlier cast; what it was given, and what was said of what is missing. */
async function continued(castId: string): Promise<{ readonly context: Context; readonly notes: string }> {
  const ran = await run(["link", ...config, "--anyway", "--from", castId, "Tell", "--", "go on"], { cwd });
  if (ran.code !== 0) throw new Error(ran.stderr);
  const made = /^\S+ cast (\S+),/m.exec(ran.stderr)?.[1] ?? "";
  // [J26] What is large is kept beside.
  const whole = (...path: readonly string[]): unknown =>
    JSON.parse(readText(castFile(cwd, made, ...path)), (_key, value: { readonly $value?: unknown } | null) =>
      typeof value?.$value === "string" ? whole("values", `${value.$value}.json`) : value,
    );
  const { state } = whole("sockets", "Socket-1", "1", "input.json") as {
    readonly state: { readonly previousCastContext: Context };
  };
  return {
    context: state.previousCastContext,
    notes: ran.stderr
      .split("\n")
      .filter((line) => line.startsWith("note: "))
      .join("\n"),
  };
}

/** A copy of the earlier cast under another id, with something done to it. */
function copyOf(castId: string, harm: (folder: string) => void): string {
  cpSync(castFile(cwd, earlier), castFile(cwd, castId), { recursive: true });
  harm(castFile(cwd, castId));
  return castId;
}

describe("[L26] what a later cast may know", () => {
  it("[L26] who it was, what was asked, how it ended, its last handoff and its work items", async () => {
    const { context, notes } = await continued(earlier);
    expect(Object.keys(context)).toEqual(["castId", "request", "outcome", "handoff", "workItems", "artifacts"]);
    expect(context).toMatchObject({
      castId: earlier,
      request: "do the first part",
      outcome: "completed",
      handoff: { satisfied: true, context: "all done" },
    });
    expect(context.workItems).toHaveLength(COUNT);
    expect(context.workItems[0]).toEqual({ title: "item 1", context: "c" });
    expect(notes).toBe("");
  });

  it("[L26] the newest artifacts first, at most 20, of at most 4,000 bytes each and 32 KiB in all", async () => {
    const { artifacts } = (await continued(earlier)).context;
    const sizes = artifacts.map(({ text }) => Buffer.byteLength(text));
    expect(artifacts.length).toBeLessThanOrEqual(20);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(32 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(31 * 1024);
    expect(artifacts.map(({ path }) => path).slice(0, 3)).toEqual([
      "sockets/Socket-3/1/stdout.txt",
      `sockets/Socket-2/${COUNT}/stdout.txt`,
      `sockets/Socket-2/${COUNT - 1}/stdout.txt`,
    ]);
    expect(artifacts[1]).toMatchObject({ size: 5_001, cut: true });
    expect(artifacts.every(({ text }) => !text.includes("\ufffd"))).toBe(true);
  });

  it("[L26] of many small ones 20", async () => {
    const small = copyOf("small", (folder) => {
      for (let visit = 1; visit <= COUNT; visit += 1)
        writeFileSync(join(folder, "sockets", "Socket-2", String(visit), "stdout.txt"), "x");
    });
    const { artifacts } = (await continued(small)).context;
    expect(artifacts.map(({ cut }) => cut)).toEqual(Array(20).fill(false));
  });
});

it("[L26, S12] what has become a secret since is not handed on", async () => {
  const secret = "tok-12345678";
  const link = (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
    run(["link", ...config, "--anyway", ...words], { cwd: place, env });
  const place = newPlace({ "conf.json": conf });
  await link({}, "Tell", "--", `use ${secret}`);
  const [first = ""] = castsIn(place);
  await link({ A_TOKEN: secret }, "--from", first, "Tell", "--", "go on");
  const second = castsIn(place).find((id) => id !== first) ?? "";
  const kept = readText(castFile(place, second, "cast.json"));
  expect([kept.includes("use [secret A_TOKEN]"), kept.includes(secret)]).toEqual([true, false]);
});

it("[L27] it reaches a prompt only where the materia asks for it", async () => {
  const args = ["link", ...config, "--rehearse", "replies.json", "--from", earlier, "Opted", "Plain", "--", "go on"];
  expect((await run(args, { cwd })).code).toBe(0);
  const castId = castsIn(cwd).findLast((id) => /^\d{8}-/.test(id)) ?? "";
  const [opted, plain] = ["Socket-1", "Socket-2"].map((id) =>
    readText(castFile(cwd, castId, "sockets", id, "1", "prompt.md")),
  );
  expect(opted).toContain("do the first part");
  expect(plain).not.toContain("do the first part");
  expect(plain).not.toContain(earlier);
});

describe("[L28] what is missing is said, and the rest is used", () => {
  it.each<[title: string, id: string, harm: (folder: string) => void, note: string, known: object]>([
    [
      "[L28] a journal that is cut in the middle of a line",
      "torn",
      (folder) => truncateSync(join(folder, "journal.jsonl"), 9_000),
      "1 line of its journal cannot be read",
      { request: "do the first part", outcome: "interrupted", handoff: expect.anything() },
    ],
    [
      "[L28] a journal with damaged lines",
      "damaged",
      (folder) =>
        writeFileSync(
          join(folder, "journal.jsonl"),
          readText(join(folder, "journal.jsonl")).replaceAll('"edge_taken"', '"hm"'),
        ),
      "lines of its journal cannot be read",
      { outcome: "completed", handoff: { satisfied: true, context: "all done" } },
    ],
    [
      "[L28] a journal that is empty",
      "empty",
      (folder) => truncateSync(join(folder, "journal.jsonl"), 0),
      "its journal has no first event",
      { request: "do the first part", outcome: "interrupted", handoff: null, artifacts: [] },
    ],
    [
      "[L28] a journal that is gone",
      "gone",
      (folder) => rmSync(join(folder, "journal.jsonl")),
      "its journal cannot be read",
      { outcome: "interrupted", artifacts: [] },
    ],
    [
      "[L28] a journal that is a folder",
      "folder",
      (folder) => {
        rmSync(join(folder, "journal.jsonl"));
        mkdirSync(join(folder, "journal.jsonl"));
      },
      "its journal cannot be read",
      { handoff: null, artifacts: [] },
    ],
    [
      "[L28] another format",
      "older",
      (folder) =>
        writeFileSync(
          join(folder, "cast.json"),
          readText(join(folder, "cast.json")).replace(/"format": \d+/, '"format": 0'),
        ),
      "its format is not",
      { request: "do the first part", outcome: "completed", workItems: [] },
    ],
    [
      "[L28] no description at all",
      "bare",
      (folder) => writeFileSync(join(folder, "cast.json"), "{"),
      "cannot read cast.json",
      { request: "do the first part", outcome: "completed" },
    ],
    [
      "[L28] artifacts that were deleted",
      "swept",
      (folder) => rmSync(join(folder, "sockets"), { recursive: true }),
      "artifacts are gone",
      { outcome: "completed", handoff: { satisfied: true, context: "all done" }, workItems: [], artifacts: [] },
    ],
    [
      "[L28] one artifact that cannot be read",
      "odd",
      (folder) => {
        rmSync(join(folder, "sockets/Socket-3/1/stdout.txt"));
        mkdirSync(join(folder, "sockets/Socket-3/1/stdout.txt"));
      },
      "1 artifact is gone",
      { outcome: "completed" },
    ],
  ])("%s", async (_title, id, harm, note, known) => {
    const { context, notes } = await continued(copyOf(id, harm));
    expect(notes).toContain(note);
    expect(context).toMatchObject(known);
  });

  it("[L28] a cast that still runs gives what it has done so far", async () => {
    const terminal = openTerminal(["cast", ...config, "--loadout", "Sleeping", "rest"], cwd);
    const screen = await terminal.until("Sleep (Socket-1)", /\d{8}-\d{6}-\w{6}/);
    const running = /\d{8}-\d{6}-\w{6}/.exec(screen)?.[0] ?? "";
    const { context, notes } = await continued(running);
    expect(context).toMatchObject({ castId: running, request: "rest", outcome: "running", handoff: null });
    expect(notes).toContain("still running");
    terminal.type("\u0003");
    expect(await terminal.exited).toBe(130);
  });
});

describe("[L25] ids", () => {
  it.each(["A", "Zz_-9", "0"])("[L25] %s is an id like any other", async (id) => {
    expect((await continued(copyOf(id, () => undefined))).context).toMatchObject({ castId: id });
  });

  it.each(["../conf", "a/b", "a\\b", "..", "é", "a b", "a.b", "-", "%2e%2e", "x".repeat(300), "nobody"])(
    "[L25] %j is refused before the new cast exists",
    async (id) => {
      const before = listing(cwd);
      const { code, stderr } = await run(["link", ...config, "--from", id, "Tell", "--", "x"], { cwd });
      expect({ code, after: listing(cwd) }).toEqual({ code: 2, after: before });
      expect(stderr).toMatch(/error (bad_cast_id|unknown_cast)[^]*casts" lists them/);
    },
  );

  it("[L25] a link that leads out of the artifact root is no cast of it", async () => {
    const outside = join(cwd, "outside");
    cpSync(castFile(cwd, earlier), outside, { recursive: true });
    symlinkSync(outside, castFile(cwd, "inside"));
    const { code, stderr } = await run(["link", ...config, "--from", "inside", "Tell", "--", "x"], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("unknown_cast")]);
  });
});
