import { expect, it } from "vitest";
import { castsIn, newPlace, put, run, userFolder } from "../harness/cli.ts";
import { spansIn, standInCollector, type Answer, type SpanJson } from "../harness/collector.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const config = {
  activeLoadout: "Pair",
  materia: {
    Writer: { prompt: "Write.", tools: { type: "custom", tools: ["ls"] } },
    Critic: { prompt: "Judge.", parse: "json", tools: "none" },
  },
  loadouts: {
    Pair: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Writer", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Critic",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
            { when: "satisfied", to: "end" },
          ],
        },
      },
    },
  },
};
const replies = {
  replies: {
    Writer: [{ tools: [{ name: "ls", arguments: {} }], text: "the draft" }, { text: "better" }],
    Critic: [{ json: { satisfied: false, context: "the reason" } }, { json: { satisfied: true } }],
  },
};

const CAST = ["cast", "--config", "pair.json", "--rehearse", "replies.json", "the request"];

function place(telemetry?: object): string {
  const cwd = newPlace({ "pair.json": config, "replies.json": replies });
  if (telemetry) put(userFolder(cwd), { "materia.json": { telemetry } });
  return cwd;
}

const tree = (spans: readonly SpanJson[]) => {
  const depth = (span: SpanJson): number => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent ? depth(parent) + 1 : 0;
  };
  return spans.map((span) => `${"  ".repeat(depth(span))}${span.name}`);
};

const PAIR_TREE = [
  "invoke_workflow Pair",
  "  invoke_agent Writer",
  "    chat script",
  "    execute_tool ls",
  "    chat script",
  "  invoke_agent Critic",
  "    chat script",
  "  invoke_agent Writer",
  "    chat script",
  "  invoke_agent Critic",
  "    chat script",
];

function attributesOf(span: SpanJson | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

it("[TM1] a cast is a tree of spans with figures, route and decision, the same at every export", async () => {
  const cwd = place();
  await run(CAST, { cwd });
  const [first, second] = [await run(["export", "--json"], { cwd }), await run(["export", "--json"], { cwd })];
  expect(first.stdout).toBe(second.stdout);
  const spans = spansIn(JSON.parse(first.stdout));
  expect(tree(spans)).toEqual(PAIR_TREE);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(attributesOf(spans[0])).toMatchObject({ "materia.outcome": "completed", "materia.visits": "4" });
  expect(attributesOf(spans[5])).toMatchObject({
    "gen_ai.agent.name": "Critic",
    "gen_ai.response.model": "rehearsal/script",
    "materia.visit": "Socket-2#1",
    "materia.route.to": "Socket-1",
    "materia.route.when": "not_satisfied",
  });
  expect(attributesOf(spans[7])).toMatchObject({ "materia.sent_back_from": "Socket-2" });
  expect(spans.flatMap(({ events }) => events.map(({ name }) => name))).toEqual(
    Array.from({ length: 2 }, () => "gen_ai.evaluation.result"),
  );
  const shown = await run(["export"], { cwd });
  expect(shown.stdout.split("\n").map((line) => line.replace(/ {2}\d+ ms.*$/, ""))).toEqual([...PAIR_TREE, ""]);
});

it("[TM2] a cast that continues another one, and a fork, link to it; reused visits are not exported again", async () => {
  const cwd = place();
  await run(CAST, { cwd });
  const [origin = ""] = castsIn(cwd);
  const [root] = spansIn(JSON.parse((await run(["export", origin, "--json"], { cwd })).stdout));
  const link = [
    "link",
    "--from",
    origin,
    "Writer",
    "--config",
    "pair.json",
    "--rehearse",
    "replies.json",
    "--",
    "more",
  ];
  expect((await run(link, { cwd })).code).toBe(0);
  const linked = spansIn(JSON.parse((await run(["export", "last", "--json"], { cwd })).stdout));
  expect(linked[0]?.links).toEqual([{ traceId: root?.traceId, spanId: root?.spanId }]);
  const fork = ["fork", `${origin}@Socket-2#2`, "--config", "pair.json", "--rehearse", "replies.json"];
  expect((await run(fork, { cwd })).code).toBe(0);
  const forked = spansIn(JSON.parse((await run(["export", "last", "--json"], { cwd })).stdout));
  expect(forked[0]?.links).toEqual([{ traceId: root?.traceId, spanId: root?.spanId }]);
  expect(tree(forked).filter((name) => name.startsWith("  invoke_agent"))).toEqual(["  invoke_agent Critic"]);
});

it("[TM4] no word of a request, reply or tool leaves without telemetry.contents", async () => {
  const cwd = place();
  await run(CAST, { cwd });
  const bare = (await run(["export", "--json"], { cwd })).stdout;
  for (const words of ["the request", "the draft", "the reason"]) expect(bare).not.toContain(words);
  put(userFolder(cwd), { "materia.json": { telemetry: { otlp: "http://127.0.0.1:9", contents: true } } });
  const full = (await run(["export", "--json"], { cwd })).stdout;
  for (const words of ["the request", "the draft", "the reason"]) expect(full).toContain(words);
});

it("[TM5] spans are sent while a cast runs, and nothing is left pending", async () => {
  const collector = await standInCollector();
  const cwd = place({ otlp: collector.url, headers: { authorization: "Bearer $TOKEN_OF_TEST" } });
  expect((await run(CAST, { cwd, env: { TOKEN_OF_TEST: "abc" } })).code).toBe(0);
  const spans = collector.batches.flat();
  expect(spans.map(({ name }) => name).toSorted()).toEqual(PAIR_TREE.map((name) => name.trim()).toSorted());
  expect(collector.requests.every(({ url }) => url === "/v1/traces")).toBe(true);
  expect(collector.requests[0]?.headers.authorization).toBe("Bearer abc");
  expect(readdirSync(join(userFolder(cwd), "telemetry"))).toEqual([]);
});

it("[TM5] a collector that is down costs nothing, and gets everything with the next cast", async () => {
  const cwd = place({ otlp: "http://127.0.0.1:1" });
  expect((await run(CAST, { cwd })).code).toBe(0);
  expect(readdirSync(join(userFolder(cwd), "telemetry"))).toHaveLength(1);
  const collector = await standInCollector();
  put(userFolder(cwd), { "materia.json": { telemetry: { otlp: collector.url } } });
  expect((await run(CAST, { cwd })).code).toBe(0);
  const names = collector.batches.flat().map(({ name }) => name);
  expect(names.filter((name) => name === "invoke_workflow Pair")).toHaveLength(2);
  expect(names).toHaveLength(2 * PAIR_TREE.length);
  expect(readdirSync(join(userFolder(cwd), "telemetry"))).toEqual([]);
});

it("[TM5] telemetry of a project's file is refused, and a variable that is not set is a note", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": { telemetry: { otlp: "http://127.0.0.1:9" } } });
  const checked = await run(["check", "--json"], { cwd });
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining("user_setting_in_project")]);
  const other = place({ otlp: "http://127.0.0.1:9", headers: { a: "$NOT_SET_HERE" } });
  const ran = await run(CAST, { cwd: other });
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("NOT_SET_HERE is not set")]);
  expect(existsSync(join(userFolder(other), "telemetry"))).toBe(false);
});

const answer =
  (status: number, body = "", headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

it.each<[rule: string, answers: Answer[], code: number, batches: number]>([
  ["[TM6] a batch that is too large is halved", [answer(413)], 0, 2],
  ["[TM6] a limit is waited for", [answer(429, "", { "retry-after": "0" })], 0, 1],
  ["[TM6] a redirect is not followed", [answer(307, "", { location: "/elsewhere" })], 2, 0],
  ["[TM6] the words of a refusal are shown", [answer(404, "<html>no such page</html>")], 2, 0],
  ["[TM6] refused spans are counted", [answer(200, '{"partialSuccess":{"rejectedSpans":"2"}}')], 1, 0],
  ["[TM6] a page in place of an answer has taken nothing", [answer(200, "\n<html>log in</html>")], 2, 0],
  ["[TM6] an answer that is no JSON counts as taken", [answer(200, "fine")], 0, 0],
  [
    "[TM6] a cut answer is sent again",
    [(response) => response.destroy(), answer(503, "", { "retry-after": "0" })],
    0,
    1,
  ],
])("%s", async (_rule, answers, code, batches) => {
  const collector = await standInCollector([...answers]);
  const cwd = place();
  await run(CAST, { cwd });
  const sent = await run(["export", "last", "--otlp", collector.url, "--json"], { cwd });
  expect([sent.code, collector.batches.length]).toEqual([code, batches]);
  expect(sent.stdout.includes("collector_failed")).toBe(code === 2);
});

it("[TM6] headers of the configuration go to its own collector only, and a collector must be named", async () => {
  const collector = await standInCollector();
  const cwd = place({ otlp: "http://127.0.0.1:1", headers: { authorization: "key" } });
  await run(CAST, { cwd });
  expect((await run(["export", "--otlp", collector.url], { cwd })).code).toBe(0);
  expect(collector.requests[0]?.headers.authorization).toBeUndefined();
  const bare = place();
  await run(CAST, { cwd: bare });
  const refused = await run(["export", "--otlp"], { cwd: bare });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("no collector is named")]);
  const nobody = await run(["export", "--otlp", "http://127.0.0.1:2"], { cwd: bare });
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringMatching(/cannot be reached: .*ECONNREFUSED/)]);
});
