import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { castsIn, journalOf, newPlace, put, run } from "../harness/cli.ts";
import { openTerminal } from "../harness/terminal.ts";

const FOREVER = 3_600_000;

const conf = {
  activeLoadout: "Work",
  materia: {
    Plan: { prompt: "Plan.", generator: true },
    Make: { prompt: "Make.", tools: "coding" },
    Ask: { prompt: "Ask.", interactive: true },
    Echo: { type: "utility", command: ["echo", "said"] },
  },
  loadouts: {
    Work: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Make", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
      },
      loops: { items: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } } },
    },
    Talk: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
    Echo: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Echo" } } },
  },
};

const replies = {
  Plan: [
    {
      json: { workItems: ["first thing", "second\u001b[31m thing"].map((title) => ({ title, context: "" })) },
      usage: { input: 1200, output: 34 },
    },
  ],
  Make: [
    { text: "made" },
    { tools: [{ name: "bash", arguments: { command: "true" } }], text: "never said", delayMs: FOREVER },
  ],
  Ask: [{ text: "Which one?" }, { text: "Good." }],
};

const place = () => newPlace({ "conf.json": conf, "replies.json": { replies } });
const cast = (...more: readonly string[]) => ["cast", "--config", "conf.json", "--rehearse", "replies.json", ...more];

it("[C11, C10] the board shows position, item n of m, elapsed time and tokens; Ctrl-C aborts with 130", async () => {
  const cwd = place();
  const terminal = openTerminal(cast("work"), cwd);
  const board = await terminal.until("item 2 of 2: second thing", "Make (Socket-2)");
  expect(board).toMatch(/running\s+Work\s+\d{8}-\d{6}-\w+/);
  expect(board).toMatch(/[\d.:]+(?: s)? · 2 visits · 1\.\d+ k tokens · \$0\.00/);
  expect(board).toContain("Make (Socket-2)  visit 2");
  expect(board).not.toContain("first thing\n");
  terminal.type("\u0003");
  expect(await terminal.exited).toBe(130);
  const [castId = ""] = castsIn(cwd);
  expect(terminal.screen()).toContain(`materia recast ${castId}`);
  expect(journalOf(cwd, castId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "aborted" });
  const listed = await run(["casts", "--json"], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ castId, status: "aborted", items: { done: 1, total: 2 } }]);
});

it("[C10] a cast that runs elsewhere can be looked at and aborted, and not be resumed", async () => {
  const cwd = place();
  const terminal = openTerminal(cast("work"), cwd);
  await terminal.until("item 2 of 2");
  const [castId = ""] = castsIn(cwd);
  const looked = await run(["status", "--json"], { cwd });
  expect(JSON.parse(looked.stdout)).toMatchObject({ status: "running", item: { number: 2, of: 2 } });
  const refused = await run(["recast", castId], { cwd });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/cast_owned: process \d+ /)]);
  const aborted = await run(["abort"], { cwd });
  expect([aborted.code, await terminal.exited]).toEqual([0, 130]);
  expect(journalOf(cwd, castId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "aborted" });
});

it("[C11] the board is drawn over itself and gone at the end; the result stays", async () => {
  const cwd = place();
  const terminal = openTerminal(["cast", "--config", "conf.json", "--loadout", "Echo", "hello"], cwd);
  expect(await terminal.exited).toBe(0);
  const screen = terminal.screen();
  expect(screen.match(/completed/g)).toHaveLength(1);
  expect(screen).toContain("said");
  expect(screen).not.toContain("running");
});

it("[A8] a person at the terminal is asked, and answers there", async () => {
  const cwd = place();
  const terminal = openTerminal(cast("--loadout", "Talk", "x"), cwd);
  await terminal.until("Which one?", "Type an answer");
  terminal.type("the red one\r");
  await terminal.until("Good.", /Type an answer[^]*Type an answer/);
  terminal.type("\r");
  expect(await terminal.exited).toBe(0);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId).filter(({ type }) => type.startsWith("person"))).toMatchObject([
    { type: "person_answered", text: "the red one" },
    { type: "person_finished" },
  ]);
});

it("[S1, S3] at the terminal trust is asked for: no refuses, yes is remembered", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": { ...conf, activeLoadout: "Echo" } });
  const refused = openTerminal(["cast", "x"], cwd);
  await refused.until("Trust it as it is now? [y/N]", "echo said");
  refused.type("\r");
  expect([await refused.exited, castsIn(cwd)]).toEqual([2, []]);
  const trusted = openTerminal(["cast", "x"], cwd);
  await trusted.until("[y/N]");
  trusted.type("y\r");
  expect(await trusted.exited).toBe(0);
  expect((await run(["cast", "x"], { cwd })).code).toBe(0);
});

it("[T12, T47] test --watch refuses a change that would run something else than what was agreed to", async () => {
  const trap = (name: string) => ({
    cast: { request: "x", loadout: "Trap" },
    config: "../../trap.json",
    replies: { Trap: [{ text: "ok", tools: [{ name: "bash", arguments: { command: `touch ${name}` } }] }] },
    expect: { outcome: "completed" },
  });
  const materia = { Trap: { type: "agent", tools: "coding", prompt: "Go.", parse: "text" } };
  const loadouts = { Trap: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Trap" } } } };
  const cwd = newPlace({ "trap.json": { materia, loadouts } });
  const seen = (name: string) => join(dirname(cwd), name);
  put(cwd, { ".pi/tests/a.json": trap(seen("first")) });
  const watching = openTerminal(["test", "--watch"], cwd);
  await watching.until("touch", "[y/N]");
  watching.type("y\r");
  await watching.until("Waiting for a change");
  expect(existsSync(seen("first"))).toBe(true);
  put(cwd, { ".pi/tests/a.json": trap(seen("second")) });
  await watching.until("untrusted_project", /Waiting for a change[^]*Waiting for a change/);
  expect(existsSync(seen("second"))).toBe(false);
  watching.type("\x03");
  expect(await watching.exited).toBe(0);
});

it("[C5] --no-color leaves no escape sequence, at a terminal as well", async () => {
  const cwd = place();
  put(cwd, { "odd.json": { ...conf, activeLoadout: "Echo" } });
  const plain = openTerminal(["cast", "--config", "odd.json", "--no-color", "x\u001b[31m\u202ey"], cwd);
  expect(await plain.exited).toBe(0);
  expect(plain.raw()).not.toMatch(/[\u001b\u009b\u202e]/);
  const coloured = openTerminal(["grid", "--config", "odd.json"], cwd);
  expect([await coloured.exited, coloured.raw()]).toEqual([0, expect.stringContaining("\u001b[")]);
});
