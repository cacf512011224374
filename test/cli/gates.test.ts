import { join } from "node:path";
import { castApart, treePlace } from "../trees/tree-place.ts";
import { judgedItems } from "../harness/judged-items.ts";
import { expect, it } from "vitest";
import { castsIn, journalOf, listing, newPlace, put, run } from "../harness/cli.ts";
import { openTerminal } from "../harness/terminal.ts";

const edges = (yes: string, no: string) => [
  { when: "satisfied", to: yes },
  { when: "not_satisfied", to: no, maxTraversals: 2 },
];

const conf = {
  activeLoadout: "Ship",
  materia: {
    Make: { prompt: "Make." },
    Talk: { prompt: "Talk.", interactive: true },
    Check: { type: "utility", gate: true, command: ["sh", "-c", "echo checking; cat verdict >&2; exit $(cat code)"] },
    Say: { type: "person", question: "May “{{request}}” go out?" },
  },
  loadouts: {
    Ship: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Make", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Check", edges: edges("Socket-3", "Socket-1") },
        "Socket-3": { materia: "Say", edges: edges("end", "Socket-1") },
      },
    },
    Talk: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Talk" } } },
    Asked: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Approve" } } },
  },
};

const GATE = {
  materia: { Make: { prompt: "Make.", tools: "coding" }, Say: { type: "person", question: "May it go out?" } },
  loadouts: {
    Small: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Make", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Say" },
      },
    },
  },
};

const replies = { Make: [{ text: "made it" }], Talk: [{ text: "Well?" }] };
const config = ["--config", "conf.json"];
const cast = (...more: readonly string[]) => ["cast", ...config, "--rehearse", "replies.json", ...more];
const place = (code = "0") =>
  newPlace({ "conf.json": conf, "replies.json": { replies, onEmpty: "repeat-last" }, verdict: "2 failed\n", code });

const castOf = (cwd: string): string => castsIn(cwd)[0] ?? "";

it("[Q1, Q6] a command says yes, a person says no and then yes", async () => {
  const cwd = place();
  const asked = await run(cast("release 2"), { cwd });
  const castId = castOf(cwd);
  expect([asked.code, asked.stdout]).toEqual([4, expect.stringContaining("May “release 2” go out?")]);
  expect(asked.stdout).toContain(`materia continue ${castId} --reject <reason>`);
  const no = await run(["continue", ...config, castId, "--reject", "not", "tested"], { cwd });
  expect(no.code).toBe(4);
  const yes = await run(["continue", ...config], { cwd });
  expect(yes.code).toBe(0);
  const events = journalOf(cwd, castId);
  expect(events.filter(({ type }) => type === "person_judged")).toMatchObject([
    { socket: "Socket-3", visit: 1, satisfied: false, text: "not tested" },
    { socket: "Socket-3", visit: 2, satisfied: true, text: "" },
  ]);
  const { stdout } = await run(["show", castId], { cwd });
  expect(stdout).toMatch(/the person said no\s+said: not satisfied\s+“not tested”/);
});

it("[Q2] both streams of a refusal come back with the work, and its end is shown", async () => {
  const cwd = place("1");
  const { code, stderr } = await run(cast("release 2"), { cwd });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("Check (Socket-2) handed over not satisfied: checking 2 failed"),
  ]);
  const { stdout } = await run(["show"], { cwd });
  expect(stdout).toMatch(/said: not satisfied\s+│ checking\s+│ 2 failed\s+✗ not satisfied/);
  const [first] = journalOf(cwd, castOf(cwd)).filter(({ type }) => type === "handoff_accepted");
  expect(first).toMatchObject({ handoff: { satisfied: false, context: "checking\n2 failed" } });
});

const script = (cwd: string, Say: readonly object[]): void => {
  const Make = [1, 2, 3].map((at) => ({ text: `made ${at}` }));
  put(cwd, { "replies.json": { replies: { Make, Say } } });
};
const says = (satisfied: boolean, context?: string) => ({ json: { satisfied, ...(context ? { context } : {}) } });

it("[Q13] a rehearsal answers for a person: no with a reason, then yes, and nobody is waited for", async () => {
  const cwd = place();
  script(cwd, [says(false, "not tested"), says(true)]);
  const { code } = await run(cast("release 2"), { cwd });
  expect(code).toBe(0);
  const events = journalOf(cwd, castOf(cwd));
  const told = events.filter(({ type }) => type === "cast_waiting" || type === "person_judged");
  expect(told).toMatchObject([
    { type: "cast_waiting", question: expect.stringContaining("May “release 2” go out?") },
    { type: "person_judged", socket: "Socket-3", visit: 1, satisfied: false, text: "not tested" },
    { type: "cast_waiting" },
    { type: "person_judged", socket: "Socket-3", visit: 2, satisfied: true, text: "" },
  ]);
});

it("[Q13] where the answers are used up the person is waited for, and theirs count in the file", async () => {
  const cwd = place();
  script(cwd, [says(false, "not tested")]);
  expect((await run(cast("release 2"), { cwd })).code).toBe(4);
  script(cwd, [says(false, "not tested"), says(false, "never taken"), says(true)]);
  const answered = await run(["continue", ...config, "--reject", "still", "not"], { cwd });
  expect(answered.code).toBe(0);
  const judged = journalOf(cwd, castOf(cwd)).filter((event) => event.type === "person_judged");
  expect(judged.map(({ text }) => text)).toEqual(["not tested", "still not", ""]);
});

it("[Q13] a reply that is no yes or no fails the cast, which goes on once it is mended", async () => {
  const cwd = place();
  script(cwd, [{ text: "fine with me" }]);
  const wrong = await run(cast("release 2"), { cwd });
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    expect.stringContaining('reply 1 under "Say" is no answer of a person'),
  ]);
  script(cwd, [says(true, "well done")]);
  expect((await run(["recast", ...config], { cwd })).code).toBe(0);
});

it("[Q7] a no without a reason, and a no to an agent, are refused and change nothing", async () => {
  const cwd = place();
  await run(cast("release 2"), { cwd });
  const before = listing(cwd);
  const silent = await run(["continue", ...config, "--reject"], { cwd });
  expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining("--reject needs a reason")]);
  expect(listing(cwd)).toEqual(before);
  await run(["abort"], { cwd });
  await run(cast("--loadout", "Talk", "x"), { cwd });
  const agent = await run(["continue", ...config, "--reject", "no"], { cwd });
  expect([agent.code, agent.stderr]).toEqual([2, expect.stringContaining("not at a gate")]);
});

it("[Q8] at a terminal a person is asked for yes or no, and why not", async () => {
  const cwd = place();
  const terminal = openTerminal(cast("release 2"), cwd);
  await terminal.until("May “release 2” go out?", "yes or no >");
  terminal.type("maybe\r");
  await terminal.until("please begin with yes or no >");
  terminal.type("no\r");
  await terminal.until("why >");
  put(cwd, { code: "3" });
  terminal.type("too early\r");
  expect(await terminal.exited).toBe(1);
  expect(journalOf(cwd, castOf(cwd)).filter(({ type }) => type === "person_judged")).toMatchObject([
    { satisfied: false, text: "too early" },
  ]);
});

it("[Q16] at a terminal a bare continue shows question, request and change, and asks", async () => {
  const cwd = treePlace({ "new.txt": "new\n" }, GATE);
  const from = ["--config", join(cwd, "../home/materia.json")];
  expect((await castApart(cwd)).code).toBe(4);
  const castId = castOf(cwd);
  const first = openTerminal(["continue", ...from], cwd);
  const shown = await first.until("May it go out?", "Request: do it", /new\.txt +\| +1 \+/, "yes or no >");
  expect(shown).not.toContain("+new");
  first.type("diff\r");
  await first.until(/\+new\s/, /yes or no >[^>]*yes or no >/);
  first.type("\u0004");
  expect(await first.exited).toBe(4);
  expect(journalOf(cwd, castId).some(({ type }) => type === "person_judged")).toBe(false);
  const second = openTerminal(["continue", ...from, castId], cwd);
  await second.until("yes or no >");
  second.type("yes @fine\r");
  expect(await second.exited).toBe(0);
  expect(journalOf(cwd, castId).filter(({ type }) => type === "person_judged")).toMatchObject([
    { satisfied: true, text: "@fine" },
  ]);
});

it("[Q16] at a terminal a bare continue shows the reply of an agent before it is accepted", async () => {
  const cwd = place();
  await run(cast("--loadout", "Talk", "x"), { cwd });
  const terminal = openTerminal(["continue", ...config], cwd);
  await terminal.until("Well?", "press Enter to take this result");
  terminal.type("\r");
  expect(await terminal.exited).toBe(0);
});

it("[Q11] Approve asks whether the work may go on, and an abort of the wait can be taken back", async () => {
  const cwd = place();
  const { code, stdout } = await run(cast("--loadout", "Asked", "release 2"), { cwd });
  expect([code, stdout]).toEqual([4, expect.stringContaining("May this go on?")]);
  expect((await run(["abort"], { cwd })).code).toBe(0);
  expect((await run(["continue", ...config, castOf(cwd), "go ahead"], { cwd })).code).toBe(0);
});

it("[Q11] Approve makes check warn of nothing outside a loop", async () => {
  const { stdout } = await run(["check", ...config, "--json"], { cwd: place() });
  expect(stdout).not.toContain("unknown_variable");
});

it("[Q5] a person in a loop is shown the item", async () => {
  const Judge = { type: "person", question: "May this go on?" };
  const workItems = [{ title: "a door", context: "" }];
  const replies = { Plan: [{ json: { workItems } }], Build: [{ text: "built" }] };
  const cwd = newPlace({ "conf.json": judgedItems({ materia: { Judge } }), "replies.json": { replies } });
  const { stdout } = await run(cast("a hut"), { cwd });
  expect(stdout).toContain("May this go on?\n\nItem: a door");
});
