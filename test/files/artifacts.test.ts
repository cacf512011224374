import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { createFileArtifacts } from "../../src/shell/store/files/artifacts.ts";
import { layoutInFolder } from "../../src/shell/store/layout.ts";
import { createRedactor } from "../../src/shell/secrets/redact.ts";
import type { Ports } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import type { RunOutcome } from "../../src/shell/context/run-context.ts";
import { scratchFolder } from "../harness/agents.ts";
import { openJournal } from "../harness/journals.ts";
import { type TestConfig, startOf } from "../harness/play.ts";
import { after, always, exited, graph, loop, said, satisfied, seat, socket, world } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

interface Kept {
  readonly end: RunOutcome;
  /** Every file below the folder of the cast, by its path in it. */
  readonly files: Readonly<Record<string, string>>;
}

/** A cast with its journal and its artifacts on disk. */
async function kept(
  from: TestConfig | CastState,
  replies: readonly string[],
  runDir = scratchFolder(),
  part: Partial<Ports> = {},
  env = {},
): Promise<Kept> {
  const left = [...replies];
  const redact = createRedactor(env);
  const journal = openJournal(join(runDir, "journal.jsonl"), { durability: "write", redact });
  const ports = world(() => said(left.shift() ?? "{}"), {
    artifacts: createFileArtifacts(layoutInFolder(runDir), { redact }),
    journal,
    ...part,
  });
  const state = "graph" in from ? from : initialState(startOf(from));
  const end = await runCast(state, ports, { cwd: "/project", signal: new AbortController().signal });
  journal.close();
  return { end, files: filesIn(runDir) };
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.filter((name) => name !== "journal.jsonl" && statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

it("[J19] the visit of a JSON agent stores its prompt, its output and its handoff", async () => {
  const { files } = await kept(graph({ "Socket-1": seat("Eval", satisfied("end")) }), [
    "oops",
    '```\n{"satisfied":true,"x":1}\n```',
  ]);
  expect(Object.keys(files)).toEqual(
    ["handoff.json", "output.md", "prompt.md"].map((name) => join("sockets", "Socket-1", "1", name)),
  );
  expect(JSON.parse(files["sockets/Socket-1/1/handoff.json"] ?? "")).toEqual({ satisfied: true });
  expect(files["sockets/Socket-1/1/output.md"]).toBe('```\n{"satisfied":true,"x":1}\n```');
  const told = files["sockets/Socket-1/1/prompt.md"] ?? "";
  const places = ["Judge.", '"satisfied" (required)', "do it", "no JSON object"].map((text) => told.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThanOrEqual(0);
});

it("[J19] a text agent has no handoff file", async () => {
  const { files } = await kept(graph({ "Socket-1": seat("Build") }), [" built\n"]);
  expect(files).toEqual({
    "sockets/Socket-1/1/output.md": " built\n",
    "sockets/Socket-1/1/prompt.md": expect.stringContaining("Build."),
  });
});

it("[J19] each visit has its own folder", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Eval", satisfied("end"), always("Socket-1")),
  });
  const { files } = await kept(config, ["one", '{"satisfied":false}', "two", '{"satisfied":true}']);
  const outputs = Object.entries(files).filter(([name]) => name.endsWith("output.md"));
  expect(outputs).toEqual([
    ["sockets/Socket-1/1/output.md", "one"],
    ["sockets/Socket-1/2/output.md", "two"],
    ["sockets/Socket-2/1/output.md", '{"satisfied":false}'],
    ["sockets/Socket-2/2/output.md", '{"satisfied":true}'],
  ]);
});

it("[J19] what a person approves is kept as a handoff too", async () => {
  const runDir = scratchFolder();
  const { end } = await kept(graph({ "Socket-1": seat("Talk") }), ['{"context":"the plan"}'], runDir);
  const { files } = await kept(
    after(end.state, { type: "person_finished", socket: socket("Socket-1"), visit: 1 }),
    [],
    runDir,
  );
  expect(JSON.parse(files["sockets/Socket-1/1/handoff.json"] ?? "null")).toEqual({ context: "the plan" });
});

const warning: Ports["runUtility"] = async () => ({ ...exited('{"a":1}\n'), stderr: "a warning\n" });
const breaking: Ports["runUtility"] = async () => ({ kind: "failed", reason: "code 3", stdout: "half", stderr: "why" });

it("[J20] a utility's visit keeps its input and both outputs", async () => {
  const config = graph(
    { "Socket-1": seat("Tool") },
    { materia: { Tool: { type: "utility", command: ["tool"], parse: "json", params: { deep: [1] } } } },
  );
  const runDir = scratchFolder();
  const { files } = await kept(config, [], runDir, { runUtility: warning });
  const { "sockets/Socket-1/1/input.json": input, ...others } = files;
  expect(JSON.parse(input ?? "")).toEqual({
    cwd: "/project",
    idempotencyKey: "cast-1/Socket-1/1",
    runDir,
    request: "do it",
    castId: "cast-1",
    socketId: "Socket-1",
    materia: "Tool",
    params: { deep: [1] },
    state: {},
    item: null,
    itemKey: null,
    cursor: null,
  });
  expect(others).toEqual({
    "sockets/Socket-1/1/handoff.json": expect.any(String),
    "sockets/Socket-1/1/stdout.txt": '{"a":1}\n',
    "sockets/Socket-1/1/stderr.txt": "a warning\n",
  });
});

it("[J26] a large value of the state is kept once, and the program still gets all of it", async () => {
  const workItems = Array.from({ length: 40 }, (_, index) => ({ title: `Item ${index}`, context: "x".repeat(500) }));
  const config = graph(
    {
      "Socket-1": { ...seat("Plan", always("Socket-2")), assign: { list: "$.workItems" } },
      "Socket-2": { ...seat("Print", always("Socket-2")), advance: { when: "always" } },
    },
    { loops: { items: loop(["Socket-2"]) } },
  );
  const given: JsonObject[] = [];
  const runUtility: Ports["runUtility"] = async ({ input }) => {
    given.push(input);
    return exited("");
  };
  const { files } = await kept(config, [JSON.stringify({ workItems, state: { short: 1 } })], scratchFolder(), {
    runUtility,
  });
  const values = Object.entries(files).filter(([name]) => name.startsWith("values/"));
  expect(values.map(([, text]) => JSON.parse(text))).toEqual([workItems]);
  const resolved = (text: string): unknown =>
    JSON.parse(text, (_key, value: JsonObject | null) =>
      typeof value?.["$value"] === "string" ? JSON.parse(files[`values/${value["$value"]}.json`] ?? "null") : value,
    );
  const inputs = Array.from({ length: 40 }, (_, index) => files[`sockets/Socket-2/${index + 1}/input.json`] ?? "");
  expect(inputs.map(resolved)).toEqual(given);
  expect(given.every(({ state }) => JSON.stringify(state).includes(JSON.stringify(workItems)))).toBe(true);
  expect(inputs.every((text) => text.length < 2_000)).toBe(true);
  expect(given).toHaveLength(40);
});

it("[J40] a large list inside a value that changes with every item is stored once", async () => {
  const workItems = Array.from({ length: 60 }, (_, index) => ({ title: `Item ${index}`, context: "x".repeat(500) }));
  const config = graph(
    {
      "Socket-1": { ...seat("Plan", always("Socket-2")), assign: { "plan.deep.list": "$.workItems" } },
      "Socket-2": {
        ...seat("Print", always("Socket-2")),
        advance: { when: "always" },
        assign: { "plan.deep.last": "$", "plan.words": "$" },
      },
    },
    { loops: { items: loop(["Socket-2"]) } },
  );
  const given: JsonObject[] = [];
  const runUtility: Ports["runUtility"] = async ({ input }) => exited(`${given.push(input)} ${"y".repeat(5_000)}`);
  const { files } = await kept(config, [JSON.stringify({ workItems })], scratchFolder(), { runUtility });
  const resolved = (text = "null"): unknown =>
    JSON.parse(text, (_key, value: JsonObject | null) =>
      typeof value?.["$value"] === "string" ? resolved(files[`values/${value["$value"]}.json`]) : value,
    );
  const inputs = Array.from({ length: 60 }, (_, index) => files[`sockets/Socket-2/${index + 1}/input.json`]);
  expect(inputs.map(resolved)).toEqual(given);
  expect(Object.values(files).filter((text) => text.includes('"Item 30"'))).toHaveLength(4);
  const size = (name: string): number => (files[name] ?? "").length;
  const kinds = Map.groupBy(Object.keys(files), (name) => name.split("/").at(-1));
  const inputSize = (kinds.get("input.json") ?? []).reduce((sum, name) => sum + size(name), 0);
  expect(inputSize).toBeLessThan(60 * 2_000);
});

it("[J20] a utility that fails leaves its outputs too", async () => {
  const { files } = await kept(graph({ "Socket-1": seat("Tool") }), [], scratchFolder(), { runUtility: breaking });
  expect([files["sockets/Socket-1/1/stdout.txt"], files["sockets/Socket-1/1/stderr.txt"]]).toEqual(["half", "why"]);
});

it("[J2] a visit whose files cannot be written does not count", async () => {
  const runDir = scratchFolder();
  writeFileSync(join(runDir, "sockets"), "a file in the way");
  const { end } = await kept(graph({ "Socket-1": seat("Eval") }), ["{}"], runDir);
  expect([end.kind, end.state.phase.kind]).toEqual(["broken", "visiting"]);
});

it("[J20] a folder in place of a file is an answer, not a rejection", async () => {
  const runDir = scratchFolder();
  mkdirSync(join(runDir, "sockets", "Socket-1", "1", "stdout.txt"), { recursive: true });
  expect(await createFileArtifacts(layoutInFolder(runDir), {}).write(socket("Socket-1"), 1, "stdout.txt", "x")).toMatch(
    /^cannot write an artifact: it is a folder/,
  );
});

it.each<[rule: string, secret: string]>([
  ["[S7] a key", "sk-1234567890"],
  ["[S7] a key of several lines", "-----BEGIN-----\nabcdef\n-----END-----"],
  ["[S7] a password with quotes and backslashes", 'pass"word\\1'],
])("%s stands in no file of a cast, in no spelling", async (_rule, secret) => {
  const config = graph({
    "Socket-1": seat("Tool", always("Socket-2")),
    "Socket-2": seat("Eval", always("Socket-3")),
    "Socket-3": seat("Tool"),
  });
  const runUtility: Ports["runUtility"] = async () =>
    exited(JSON.stringify({ context: secret, state: { key: secret } }));
  const runDir = scratchFolder();
  const { files } = await kept(
    config,
    [JSON.stringify({ context: secret })],
    runDir,
    { runUtility },
    { OPENAI_API_KEY: secret },
  );
  const journal = readFileSync(join(runDir, "journal.jsonl"), "utf8");
  const spelt = JSON.stringify(secret).slice(1, -1);
  const found = Object.entries({ ...files, "journal.jsonl": journal }).filter(
    ([, text]) => text.includes(secret) || text.includes(spelt),
  );
  expect(found.map(([name]) => name)).toEqual([]);
});
