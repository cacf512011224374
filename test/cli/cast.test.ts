import { readdirSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { type Ran, castFile, castsIn, eventsOf, journalOf, jsonOf, newPlace, readText, run } from "../harness/cli.ts";

const conf = {
  activeLoadout: "Work",
  materia: {
    Look: { type: "utility", command: ["echo", '{"state":{"seen":1},"context":"looked"}'], parse: "json" },
    Plan: { prompt: "Plan.", generator: true },
    Make: { prompt: "Make it. Seen: {{state.seen}}", tools: "coding" },
    Judge: { prompt: "Judge.", parse: "json" },
    Tell: { type: "utility", command: ["echo", "told"] },
  },
  loadouts: {
    Work: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Look", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Plan", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": { materia: "Make", edges: [{ when: "always", to: "Socket-4" }] },
        "Socket-4": {
          materia: "Judge",
          advance: { when: "satisfied" },
          edges: [
            { when: "not_satisfied", to: "Socket-3", maxTraversals: 2 },
            { when: "satisfied", to: "Socket-3" },
          ],
        },
        "Socket-5": { materia: "Tell" },
      },
      loops: {
        items: {
          sockets: ["Socket-3", "Socket-4"],
          consumes: { from: "Socket-2", output: "workItems" },
          exits: [{ id: "out", from: "Socket-4", condition: "satisfied", targetSocketId: "Socket-5" }],
        },
      },
    },
  },
};

const replies = {
  Plan: [
    { json: { workItems: ["one", "two"].map((title) => ({ title, context: `about ${title}` })), context: "planned" } },
  ],
  Make: [
    { tools: [{ name: "write", arguments: { path: "a.txt", content: "hi" } }], text: "made" },
    { text: "made again" },
    { text: "made two" },
  ],
  Judge: [
    { json: { satisfied: false, context: "no test" } },
    { json: { satisfied: true } },
    { json: { satisfied: true, context: "good" } },
  ],
};

let cwd: string;
let castId: string;
let cast: Ran;

beforeAll(async () => {
  cwd = newPlace({ "conf.json": conf, "replies.json": { replies } });
  cast = await run(["cast", "--config", "conf.json", "--rehearse", "replies.json", "--json", "do", "it"], { cwd });
  [castId = ""] = castsIn(cwd);
});

it("[C12] --json prints every event of the journal, one per line, and progress elsewhere", () => {
  expect(cast.code).toBe(0);
  expect(eventsOf(cast.stdout)).toEqual(journalOf(cwd, castId));
  expect(cast.stderr).toMatch(/^\d\d:\d\d:\d\d cast .* Work: do it$/m);
  expect(cast.stderr).toMatch(/^\d\d:\d\d:\d\d Make \(Socket-3\) visit 2, item 1 of 2: one$/m);
});

it("[C10] the cast did what its graph says", () => {
  const visited = eventsOf(cast.stdout).flatMap((event) => (event.type === "visit_started" ? [event.socket] : []));
  expect(visited.map((id) => Number(id.slice(7)))).toEqual([1, 2, 3, 4, 3, 4, 3, 4, 5]);
  expect(readText(`${cwd}/a.txt`)).toBe("hi");
});

it("[J18] cast.json says all that is needed to understand and resume the cast", () => {
  expect(jsonOf(castFile(cwd, castId, "cast.json"))).toMatchObject({
    castId,
    request: "do it",
    command: `cast --config ${cwd}/conf.json --rehearse ${cwd}/replies.json do it`,
    targets: [{ kind: "loadout", name: "Work", layer: "explicit", file: `${cwd}/conf.json` }],
    loadout: { id: expect.any(String), name: "Work" },
    graph: { entry: "Socket-1", sockets: { "Socket-2": { materia: "Plan", generator: true } } },
    fromCastId: null,
    configFiles: [`${cwd}/conf.json`],
    versions: { materia: expect.stringMatching(/^\d+\.\d+\.\d+$/), node: process.version },
  });
});

it("[J19] a visit of an agent keeps prompt, output, transcript and handoff", () => {
  const files = (socket: string, visit: number) => readdirSync(castFile(cwd, castId, "sockets", socket, `${visit}`));
  expect(files("Socket-4", 1).toSorted()).toEqual(["handoff.json", "output.md", "prompt.md", "transcript.jsonl"]);
  expect(files("Socket-3", 2).toSorted()).toEqual(["output.md", "prompt.md", "transcript.jsonl"]);
  const prompt = readText(castFile(cwd, castId, "sockets", "Socket-3", "2", "prompt.md"));
  for (const told of ["Make it. Seen: 1", "do it", "about one", "no test"]) expect(prompt).toContain(told);
  expect(readText(castFile(cwd, castId, "sockets", "Socket-3", "2", "output.md"))).toBe("made again");
  expect(jsonOf(castFile(cwd, castId, "sockets", "Socket-4", "1", "handoff.json"))).toEqual({
    satisfied: false,
    context: "no test",
  });
});

it("[J20] a visit of a utility keeps what it was given and what it printed", () => {
  const folder = castFile(cwd, castId, "sockets", "Socket-1", "1");
  expect(readdirSync(folder).toSorted()).toEqual(["handoff.json", "input.json", "stderr.txt", "stdout.txt"]);
  expect(jsonOf(`${folder}/input.json`)).toMatchObject({ castId, socketId: "Socket-1", request: "do it", item: null });
  expect(readText(`${folder}/stdout.txt`)).toContain('"seen":1');
  expect(readText(`${folder}/stderr.txt`)).toBe("");
});

it("[C13] casts lists it, as text and as data", async () => {
  const [text, data] = await Promise.all([run(["casts"], { cwd }), run(["casts", "--json"], { cwd })]);
  expect(text.stdout).toMatch(new RegExp(`^✓ completed {2}${castId} {2}2 of 2 .* Work +\\[rehearsed\\] do it`, "m"));
  expect(JSON.parse(data.stdout)).toEqual([
    {
      castId,
      status: "completed",
      loadout: "Work",
      request: "do it",
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      visits: 9,
      items: { done: 2, total: 2 },
      tokens: expect.any(Number),
      cost: 0,
      rehearsed: true,
      reason: "the graph reached its end",
    },
  ]);
});

it("[C14] status says where it is, items done, tokens, cost and what happened last", async () => {
  const [text, data] = await Promise.all([run(["status"], { cwd }), run(["status", castId, "--json"], { cwd })]);
  expect(text.stdout).toMatch(
    /✓ completed {2}Work .*\n[\d.:]+(?: s)? · 9 visits · [\d.]+( k)? tokens · \$0\.00 · rehearsed\ndo it\n/,
  );
  expect(text.stdout).toContain("2 of 2");
  expect(JSON.parse(data.stdout)).toMatchObject({
    castId,
    status: "completed",
    items: { done: 2, total: 2 },
    visits: 9,
    cost: 0,
    last: { text: expect.stringContaining("completed") },
    runDir: castFile(cwd, castId),
  });
});

it("[C15] show tells each visit, what it handed over, the edge taken and why not the others", async () => {
  const [{ stdout }, data] = await Promise.all([run(["show", castId], { cwd }), run(["show", "--json"], { cwd })]);
  const order = ["Look (Socket-1)", "Plan (Socket-2)", "Make (Socket-3)", "Judge (Socket-4)", "Tell (Socket-5)"];
  const places = order.map((name) => stdout.indexOf(name));
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  for (const told of [
    "handed over 2 work items",
    "1. one",
    "“no test”",
    "✗ not satisfied → Socket-3 (Make), 1 of 2",
    "✓ satisfied → Socket-3 (Make): not taken, satisfied was false",
    "edges not tried: all items are done",
  ])
    expect(stdout).toContain(told);
  expect(JSON.parse(data.stdout)).toMatchObject({
    castId,
    command: expect.stringMatching(/^cast .* do it$/),
    events: journalOf(cwd, castId),
  });
});
