import { expect, it } from "vitest";
import { castsIn, journalOf, newPlace, put, readText, run } from "../harness/cli.ts";

const say = (...words: readonly string[]) => ({ type: "utility", command: ["echo", ...words] });
const hand = (handoff: object) => ({ ...say(JSON.stringify(handoff)), parse: "json" });
const only = (materia: string, edges: readonly object[] = []) => ({
  entry: "Socket-1",
  sockets: { "Socket-1": { materia, edges } },
});

/** Casts without agents: quick, and all that decides an exit code. */
const conf = {
  activeLoadout: "Good",
  materia: {
    Yes: say("all", "done"),
    No: hand({ satisfied: false, context: "something is missing" }),
    Nothing: hand({}),
    Fail: { type: "utility", command: ["sh", "-c", "echo broken >&2; exit 7"] },
    Round: hand({ satisfied: false, context: "again" }),
  },
  loadouts: {
    Good: only("Yes"),
    Lacking: only("No"),
    Empty: only("Nothing"),
    Bad: only("Fail"),
    Endless: only("Round", [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 1 }]),
  },
};

const config = ["--config", "conf.json"];

it.each<[title: string, loadout: string, code: number, status: string, said: string]>([
  ["[C10] completed is 0", "Good", 0, "completed", "all done"],
  ["[C10] failed is 1, with the reason", "Bad", 1, "failed", "broken"],
  ["[C10] a limit fails as well, with the way on", "Endless", 1, "failed", "recast"],
  ["[C10] not satisfied is 3, with what was said", "Lacking", 3, "not_satisfied", "something is missing"],
  ["[C10] a silent end is completed", "Empty", 0, "completed", "✓ completed"],
])("%s", async (_title, loadout, code, status, said) => {
  const cwd = newPlace({ "conf.json": conf });
  const ran = await run(["cast", ...config, "--loadout", loadout, "x"], { cwd });
  expect([ran.code, ran.stdout]).toEqual([code, expect.stringContaining(said)]);
  const [castId = ""] = castsIn(cwd);
  const ends = journalOf(cwd, castId).filter((event) => event.type === "cast_ended");
  expect(ends).toMatchObject([{ outcome: status }]);
  const listed = await run(["casts", "--json"], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ castId, status, loadout }]);
});

it("[C8] --loadout is for this cast, and the active one stays", async () => {
  const cwd = newPlace({ "conf.json": conf });
  await run(["cast", ...config, "--loadout", "Empty", "one"], { cwd });
  await run(["cast", ...config, "two"], { cwd });
  const listed = await run(["casts", "--json"], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { loadout: "Good", request: "two" },
    { loadout: "Empty", request: "one" },
  ]);
  const loadouts = await run(["loadout", ...config, "--json"], { cwd });
  expect(JSON.parse(loadouts.stdout)).toContainEqual(expect.objectContaining({ name: "Good", active: true }));
});

it.each<[title: string, words: readonly string[], request: string]>([
  ["[C9] words are joined with one space", ["fix", "the", "typo"], "fix the typo"],
  ["[C9] one word stays as it is", ["  fix\n\n  the 'typo'  "], "  fix\n\n  the 'typo'  "],
  ["[C9] behind -- dashes are words", ["--", "add", "--verbose", "--", "now"], "add --verbose -- now"],
  ["[C9] before and behind", ["add", "--", "--verbose"], "add --verbose"],
  ["[C9] an empty word counts", ["a", "", "b"], "a  b"],
])("%s", async (_title, words, request) => {
  const cwd = newPlace({ "conf.json": conf });
  expect((await run(["cast", ...config, ...words], { cwd })).code).toBe(0);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId)[0]).toMatchObject({ type: "cast_started", request });
});

it("[C11] without a terminal progress is plain lines on standard error", async () => {
  const cwd = newPlace({ "conf.json": conf });
  const { stderr } = await run(["cast", ...config, "x"], { cwd });
  expect(stderr.split("\n").map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
    "note: no checkpoints of the files: there is no git repository",
    expect.stringMatching(/^cast \S+, Good: x$/),
    "Yes (Socket-1)",
    "Yes (Socket-1) said: all done",
    "✓ completed: the graph reached its end",
    "",
  ]);
});

it.each<[title: string, loadout: string, out: string, err: RegExp]>([
  ["[C12] --quiet prints the result, and the outcome in one line", "Good", "all done\n", /^completed \S+\n$/],
  ["[C12] --quiet prints what was missing", "Lacking", "something is missing\n", /^not satisfied \S+\n$/],
  ["[C12] --quiet of a failure prints its reason where it is no result", "Bad", "", /^failed \S+: .*broken.*\n$/],
])("%s", async (_title, loadout, out, err) => {
  const cwd = newPlace({ "conf.json": conf });
  const { stdout, stderr } = await run(["cast", ...config, "--quiet", "--loadout", loadout, "x"], { cwd });
  expect(stdout).toBe(out);
  expect(stderr).toMatch(err);
});

it.each([
  ["[C12] --json prints events and no prose", ["--json"], / cast \S+, Good: x\n.* Yes \(Socket-1\)\n/],
  [
    "[C12] --json with --quiet prints the events, and the outcome in one line",
    ["--json", "--quiet"],
    /^completed \S+\n$/,
  ],
])("%s", async (_title, options, err) => {
  const cwd = newPlace({ "conf.json": conf });
  const { stdout, stderr } = await run(["cast", ...config, ...options, "x"], { cwd });
  expect(stderr).toMatch(err);
  const [castId = ""] = castsIn(cwd);
  // Whose line it is and its digest belong to the file, not to the event.
  const written = readText(`${cwd}/.pi/pi-materia/${castId}/journal.jsonl`);
  expect(stdout).toBe(written.replace(/,"epoch":\d+,"crc":"[0-9a-f]+"\}$/gm, "}"));
});

it("[C13] casts are listed newest first, however quickly they follow", async () => {
  const cwd = newPlace({ "conf.json": conf });
  for (const word of ["1", "2", "3", "4"]) await run(["cast", ...config, word], { cwd });
  const { stdout } = await run(["casts", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject(["4", "3", "2", "1"].map((request) => ({ request })));
});

it("[C13] without casts the list is empty, and says how to begin", async () => {
  const cwd = newPlace();
  const [text, data] = await Promise.all([run(["casts"], { cwd }), run(["casts", "--json"], { cwd })]);
  expect([text.code, data.code, JSON.parse(data.stdout)]).toEqual([0, 0, []]);
  expect(text.stdout).toContain("materia demo");
});

it("[C13] what is no cast is not listed, and a damaged one harms no other", async () => {
  const cwd = newPlace({ "conf.json": conf });
  await run(["cast", ...config, "x"], { cwd });
  put(cwd, {
    ".pi/pi-materia/note.txt": "mine",
    ".pi/pi-materia/20990101-000000-000000/cast.json": "{",
    ".pi/pi-materia/20990101-000000-000001/journal.jsonl": "not json\n",
  });
  const { code, stdout } = await run(["casts", "--json"], { cwd });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ request: "x" }]]);
  expect(JSON.parse(stdout)).toHaveLength(1);
});
