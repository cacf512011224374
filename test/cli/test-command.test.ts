import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { judgedPair } from "../harness/loadouts.ts";
import { PROGRAM, envOf, listing, newPlace, put, run } from "../harness/cli.ts";
import { SWEEP, isFull } from "../harness/sweep.ts";

const CONFIG = {
  materia: { Judge: { parse: "json", prompt: "Judge it." } },
  loadouts: {
    Review: {
      entry: "Socket-1",
      sockets: judgedPair("Build", "Judge", 1),
    },
  },
};
const yes = { json: { satisfied: true } };
const no = { json: { satisfied: false, context: "louder" } };
const write = { name: "write", arguments: { path: "hello.txt", content: "hello\n" } };

function testOf(more: object = {}, replies: object = {}) {
  return {
    cast: { loadout: "Review", request: "Say hello" },
    config: "review.json",
    replies: { Build: [{ tools: [write], text: "done" }], Judge: [yes], ...replies },
    expect: { outcome: "completed" },
    ...more,
  };
}

async function tested(test: object, args: readonly string[] = []) {
  const cwd = newPlace({ "review.json": CONFIG, "a.json": test });
  const ran = await run(["test", "a.json", "--json", ...args], { cwd });
  return { cwd, ...ran, data: ran.stdout === "" ? undefined : (JSON.parse(ran.stdout) as TestReport) };
}

interface TestReport {
  readonly tests: readonly {
    readonly file: string;
    readonly ok: boolean;
    readonly failures: readonly { readonly what: string; readonly got: unknown; readonly where: string }[];
  }[];
  readonly coverage: Readonly<
    Record<string, { readonly taken: number; readonly of: number; readonly missing: unknown }>
  >;
}

function whats(data: TestReport | undefined): readonly string[] {
  return data?.tests.flatMap(({ failures }) => failures.map(({ what }) => what)) ?? [];
}

describe("[T2] expectations", () => {
  it("[T2] all of them hold", async () => {
    const expectation = {
      outcome: "completed",
      exitCode: 0,
      path: ["Build", "…", "Socket-2"],
      edges: { "Socket-2 not_satisfied Socket-1": 1, "Judge satisfied end": 1 },
      state: { nothing: null },
      files: { "hello.txt": "hello\n", "other.txt": null, "../review.json": null },
      prompts: { "Build#2": { contains: ["louder"], lacks: ["quieter"] } },
      turnsAtMost: 4,
      limit: null,
    };
    const replies = { Build: [{ tools: [write], text: "done" }, { text: "again" }], Judge: [no, yes] };
    const { code, data } = await tested(testOf({ expect: expectation }, replies));
    expect([code, whats(data)]).toEqual([0, []]);
  });

  it("[T2, T29] all failed expectations are reported at once, with the place", async () => {
    const expectation = {
      outcome: "failed",
      exitCode: 1,
      path: ["Build", "Build"],
      edges: { "Judge satisfied end": 2, "Judge satisfied Nobody": 1 },
      items: { done: 1 },
      state: { "a.b": 1 },
      files: { "hello.txt": { matches: "^bye$" }, "other.txt": "x" },
      prompts: { Build: { contains: ["quieter"], lacks: ["Say hello"] }, "Build#9": {} },
      turnsAtMost: 1,
      limit: "maxTokens",
    };
    const { code, data } = await tested(testOf({ expect: expectation }));
    expect(code).toBe(1);
    expect(whats(data)).toEqual([
      "outcome",
      "exitCode",
      "path",
      "edges.Judge satisfied end",
      "edges.Judge satisfied Nobody",
      "items.done",
      "state.a.b",
      "files.hello.txt",
      "files.other.txt",
      "prompts.Build",
      "prompts.Build",
      "prompts.Build#9",
      "turnsAtMost",
      "limit",
    ]);
    const path = data?.tests[0]?.failures[2];
    expect(path).toEqual({
      what: "path",
      expected: ["Build", "Build"],
      got: ["Build", "Judge"],
      where: "visit 2: Socket-2#1 (Judge)",
    });
  });
});

it("[T1] every fault of a file is reported at once, and nothing has run", async () => {
  const broken = { ...testOf(), cast: { loadot: "Review", seed: 3 }, expect: { outcom: "done", path: "Build" } };
  const cwd = newPlace({ "review.json": CONFIG, "a.json": broken });
  const { code, stderr } = await run(["test", "a.json"], { cwd });
  expect(code).toBe(2);
  for (const word of ['"request" is missing', '"loadot"', '"seed"', '"outcom"', '"path"', 'did you mean "outcome"?'])
    expect(stderr).toContain(word);
  expect(readdirSync(cwd).toSorted()).toEqual(["a.json", "review.json"]);
});

it("[T1] a test is still a rehearsal", async () => {
  const cwd = newPlace({ "review.json": CONFIG, "a.json": testOf() });
  const args = ["cast", "--config", "review.json", "--loadout", "Review", "--rehearse", "a.json", "Say hello"];
  expect((await run(args, { cwd })).code).toBe(0);
});

it("[T28] a person's answers are given in order", async () => {
  const replies = { "Interactive-Plan": [{ json: { workItems: [] } }, { json: { workItems: [] } }] };
  const cast = { loadout: "Planning-Consult", request: "Plan", answers: ["Once more", true] };
  const { data } = await tested({ cast, replies, expect: { outcome: "completed" } });
  expect(whats(data)).toEqual([]);
});

it.each<[string, object, object, string]>([
  ["[T4] a misspelt name", {}, { Jugde: [yes] }, "replies.Jugde"],
  ["[T4] a misspelt name with an item", {}, { "Biuld@WI-2": [yes] }, "replies.Biuld@WI-2"],
  ["[T5] replies left over", {}, { Judge: [yes, yes] }, "replies.Judge"],
  ["[T5] answers left over", { cast: { loadout: "Review", request: "x", answers: [true] } }, {}, "cast.answers"],
  ["[T5] a tool that does not exist", {}, { Build: [{ tools: [{ name: "wirte" }], text: "" }] }, "replies.Build[0]"],
  [
    "[T5] a tool that fails",
    {},
    { Build: [{ tools: [{ name: "read", arguments: { path: "none" } }], text: "" }] },
    "replies.Build[0]",
  ],
  [
    "[T5] a tool that is meant to fail and does not",
    {},
    { Build: [{ tools: [{ ...write, fails: true }], text: "" }] },
    "replies.Build[0]",
  ],
  ["[T8] a seed that is not there", { cast: { loadout: "Review", request: "x", seed: "none" } }, {}, "cast"],
  ["[T28] a loadout that is not there", { cast: { loadout: "Reviwe", request: "x" } }, {}, "cast"],
])("%s fails a test", async (_title, more, replies, what) => {
  const { code, data } = await tested(testOf(more, replies));
  expect([code, whats(data)]).toEqual([1, [what]]);
});

it("[T5] a tool that is meant to fail may", async () => {
  const build = [{ tools: [{ name: "read", arguments: { path: "none" }, fails: true }], text: "" }];
  expect((await tested(testOf({}, { Build: build }))).code).toBe(0);
});

it("[T6] what would fail a test is a note of a rehearsed cast", async () => {
  const build = [{ tools: [{ name: "wirte" }], text: "" }, { text: "left" }];
  const cwd = newPlace({ "review.json": CONFIG, "a.json": testOf({}, { Build: build, Jugde: [yes] }) });
  const args = ["cast", "--config", "review.json", "--loadout", "Review", "--rehearse", "a.json", "Say hello"];
  const { code, stderr } = await run(args, { cwd });
  const notes = stderr.split("\n").filter((text) => text.startsWith("note: rehearsal:"));
  expect(code).toBe(0);
  expect(notes).toEqual([
    'note: rehearsal: "Jugde" is neither a materia nor a socket of Review; did you mean "Judge"?',
    'note: rehearsal: replies left over under "Build": the last 1 of 2 were not asked for',
    expect.stringContaining('note: rehearsal: the tool "wirte" failed in reply 1 of "Build" (Socket-1)'),
  ]);
});

describe("[T7] coverage", () => {
  it("[T7] names what no test took, and a floor of it fails the run", async () => {
    const { code, data } = await tested(testOf(), ["--min-coverage", "80"]);
    const missing = ["Socket-2 not_satisfied Socket-1", "limit Socket-2 not_satisfied Socket-1"];
    expect([code, data?.coverage]).toEqual([1, { Review: { taken: 4, of: 6, missing } }]);
    expect((await tested(testOf(), ["--min-coverage", "66"])).code).toBe(0);
  });

  it("[T7] a floor that was missed is named, in JUnit as a failed test", async () => {
    const cwd = newPlace({ "review.json": CONFIG, "a.json": testOf() });
    const { code, stdout } = await run(["test", "a.json", "--min-coverage", "80", "--junit", "out.xml"], { cwd });
    expect([code, stdout]).toEqual([1, expect.stringContaining("--min-coverage 80 not reached")]);
    expect(readFileSync(join(cwd, "out.xml"), "utf8")).toMatch(
      /failures="1".*<testcase [^>]*name="coverage of Review".*expected at least 80 %\s+got 66 %/s,
    );
  });

  it("[T3, T7] without paths the project's tests run, and its loadouts without one are not covered", async () => {
    const cwd = newPlace({
      ".pi/pi-materia.json": { ...CONFIG, loadouts: { ...CONFIG.loadouts, Lonely: CONFIG.loadouts.Review } },
      ".pi/tests/a.json": { ...testOf(), config: undefined },
      ".pi/tests/fixtures/data.json": { some: "thing" },
    });
    const refused = await run(["test"], { cwd });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("untrusted_project")]);
    const { code, stdout } = await run(["test", "--json", "--trust"], { cwd });
    const { tests, coverage } = JSON.parse(stdout) as TestReport;
    expect([code, tests.length, coverage["Lonely"]]).toMatchObject([0, 1, { taken: 0, of: 6 }]);
  });
});

it("[T3] nothing to run is refused", async () => {
  const cwd = newPlace();
  expect(await run(["test"], { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining("missing_tests") });
  expect(await run(["test", "none.json"], { cwd })).toMatchObject({ code: 2 });
});

it("[T8] nothing stays, and nothing else is touched", async () => {
  const cwd = newPlace({
    "review.json": CONFIG,
    "a.json": testOf({ cast: { request: "x", loadout: "Review", seed: "." } }),
  });
  // That something was in the temporary folder for a while is all that may be seen of it.
  const rest = () => listing(cwd).filter((text) => !text.startsWith("tmp "));
  const before = rest();
  expect((await run(["test", "a.json"], { cwd })).code).toBe(0);
  expect(rest()).toEqual(before);
});

it("[T9] the user's own configuration changes no test", async () => {
  const cwd = newPlace({ "a.json": { ...testOf(), config: "review.json" }, "review.json": CONFIG });
  put(dirname(cwd), { "home/.config/pi/pi-materia/materia.json": { materia: { Build: null } } });
  expect((await run(["test", "a.json"], { cwd })).code).toBe(0);
});

it("[T10] what passed is one line, and CI reads the rest", async () => {
  const cwd = newPlace({
    "review.json": CONFIG,
    "a.json": testOf(),
    "b.json": testOf({ expect: { outcome: "failed" } }),
  });
  const { code, stdout } = await run(["test", "a.json", "b.json", "--junit", "out.xml"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✓ a\.json {2}\d+ ms\n✗ b\.json/);
  expect(stdout).toContain("expected  failed\n           got  completed");
  expect(readFileSync(join(cwd, "out.xml"), "utf8")).toContain('<testsuite name="materia" tests="2" failures="1"');
});

it("[T11] --update writes what was observed and leaves comments alone", async () => {
  const text = `// a test\n${JSON.stringify(testOf({ expect: { outcome: "failed", exitCode: 0 } }), undefined, 2)}`;
  const blank = testOf({ expect: {} });
  const cwd = newPlace({ "review.json": CONFIG, "a.json": text, "b.json": blank });
  expect((await run(["test", "a.json", "b.json", "--update"], { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, "a.json"), "utf8")).toBe(text.replace('"failed"', '"completed"'));
  const { expect: written } = JSON.parse(readFileSync(join(cwd, "b.json"), "utf8")) as { readonly expect: unknown };
  expect(written).toEqual({
    outcome: "completed",
    exitCode: 0,
    path: ["Build", "Judge"],
    edges: { "Socket-1 always Socket-2": 1, "Socket-2 satisfied end": 1 },
  });
});

const EXAMPLES = fileURLToPath(new URL("../../examples/tests", import.meta.url));

it("[T13] a test of a bundled loadout holds", async () => {
  const { code, stdout } = await run(["test", join(EXAMPLES, "full-auto.json"), "--json"], { cwd: newPlace() });
  const { tests } = JSON.parse(stdout) as TestReport;
  expect([code, tests.map((each) => each.ok)]).toEqual([0, [true]]);
});

it.runIf(isFull)("[T13] the bundled loadouts are covered whole by their tests", SWEEP, async () => {
  const cwd = newPlace();
  const { code, stdout, stderr } = await run(["test", EXAMPLES, "--min-coverage", "100", "--json"], { cwd });
  expect(stderr).toBe("");
  const { tests, coverage } = JSON.parse(stdout) as TestReport;
  expect([code, tests.filter((each) => !each.ok)]).toEqual([0, []]);
  expect(Object.keys(coverage)).toEqual([...bundledLayer().loadouts.keys()].toSorted());
  expect(existsSync(join(cwd, ".pi"))).toBe(false);
});

it("[T12] --watch runs again when a test changes, and ends when it is interrupted", async () => {
  const cwd = newPlace({ "tests/review.json": CONFIG, "tests/a.json": testOf({ expect: { outcome: "failed" } }) });
  const child = spawn(process.execPath, [PROGRAM, "test", "tests", "--watch", "--trust"], { cwd, env: envOf(cwd) });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const heard = hearing(child.stdout);
  const waits = hearing(child.stderr);
  await heard("✗ tests/a.json");
  await waits("Waiting for a change");
  put(cwd, { "tests/a.json": testOf() });
  await heard("✓ tests/a.json");
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

/** Resolves when a stream has said something. */
function hearing(stream: NodeJS.ReadableStream): (text: string) => Promise<void> {
  let said = "";
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  stream.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
    for (const { text, resolve } of waiting) if (said.includes(text)) resolve();
  });
  return (text) =>
    new Promise((resolve) => {
      if (said.includes(text)) resolve();
      else waiting.push({ text, resolve });
    });
}
