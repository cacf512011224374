import { createHmac } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { afterFile } from "../harness/after-file.ts";
import { castsIn, newPlace, put, run, userFolder } from "../harness/cli.ts";

const CONFIG = {
  materia: {
    Say: { prompt: "Say it.", tools: "none", parse: "text" },
    Ask: { type: "person", question: "May I drop the old table?" },
  },
  loadouts: {
    Plain: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Say" } } },
    Asks: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
  },
  activeLoadout: "Plain",
};

interface PostedNotice {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (response: ServerResponse) => void;

/** Takes notices; `answers` are used in turn, then everything is taken. */
async function receiver(answers: Answer[] = []): Promise<{ readonly url: string; readonly got: PostedNotice[] }> {
  const got: PostedNotice[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      got.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
      const answer = answers.shift() ?? ((each) => each.writeHead(200, { "content-type": "text/html" }).end("<p>ok"));
      answer(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got };
}

function place(...notify: readonly object[]): string {
  const cwd = newPlace({ "plain.json": CONFIG, "replies.json": { replies: { Say: [{ text: "Said." }] } } });
  put(userFolder(cwd), { "materia.json": { notify } });
  return cwd;
}

const CAST = ["cast", "--quiet", "--config", "plain.json", "--rehearse", "replies.json"];
const cast = (cwd: string, ...words: readonly string[]) => run([...CAST, ...words], { cwd });
const typesOf = (got: readonly PostedNotice[]) => got.map(({ body }) => (JSON.parse(body) as { type: string }).type);
const idsOf = (got: readonly PostedNotice[]) => got.map(({ headers }) => headers["webhook-id"]);
const pending = (cwd: string): readonly string[] => {
  const folder = join(userFolder(cwd), "notify");
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name))
    : [];
};

it("[YN1, YN2, YN3] each stop is posted once, signed, without contents", async () => {
  const { url, got } = await receiver();
  const secret = `whsec_${Buffer.from("a key of thirty-two bytes or more").toString("base64")}`;
  const cwd = place({ url, secret: "$HOOK_SECRET" });
  const env = { HOOK_SECRET: secret };
  await run([...CAST, "--loadout", "Asks", "Migrate"], { cwd, env });
  expect(typesOf(got)).toEqual(["materia.waiting"]);
  const [castId = ""] = castsIn(cwd);
  await run(["continue", "--quiet", "--config", "plain.json", castId], { cwd, env });
  expect(typesOf(got)).toEqual(["materia.waiting", "materia.ended"]);
  expect(JSON.parse(got[1]?.body ?? "")).toMatchObject({
    data: { project: "project", castId, loadout: "Asks", outcome: "completed", command: `materia show ${castId}` },
  });
  for (const { headers, body } of got) {
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const digest = createHmac("sha256", "a key of thirty-two bytes or more").update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${digest}`);
    expect(body).not.toMatch(/Migrate|old table/);
  }
  expect(pending(cwd)).toEqual([]);
});

it("[YN3] contents are sent to the receiver that asks for them; Slack and ntfy are formats of the same post", async () => {
  const [slack, ntfy] = [await receiver(), await receiver()];
  const cwd = place(
    { url: slack.url, format: "slack", contents: true },
    { url: ntfy.url, format: "ntfy", on: ["waiting"], contents: true },
  );
  await cast(cwd, "--loadout", "Asks", "Migrate");
  const [castId = ""] = castsIn(cwd);
  const text = `project: a cast waits for you\nMigrate\nMay I drop the old table?\nmateria continue ${castId}`;
  expect(slack.got.map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ text }]);
  expect(ntfy.got.map(({ body }) => body)).toEqual([text]);
  await cast(cwd, "Fix");
  expect([slack.got.length, ntfy.got.length]).toEqual([2, 1]);
});

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end("<html>no");

it.each<[rule: string, answer: Answer | undefined]>([
  ["is down", undefined],
  ["answers 500", status(500)],
  ["answers with a redirect", status(302, { location: "http://127.0.0.1:9/" })],
  ["answers 404 with HTML", status(404, { "content-type": "text/html" })],
  ["never answers", () => undefined],
])("[YN4] a receiver that %s delays nothing and gets everything later, with the same id", async (_rule, answer) => {
  const { url, got } = await receiver(answer ? Array.from({ length: 3 }, () => answer) : []);
  const cwd = place({ url: answer ? url : "http://127.0.0.1:1/", on: ["ended"] });
  expect((await cast(cwd, "one")).code).toBe(0);
  const [first = ""] = castsIn(cwd);
  const tried = got.splice(0);
  expect(pending(cwd)).toEqual([expect.stringContaining(first)]);
  if (!answer) return;
  put(userFolder(cwd), { "materia.json": { notify: [{ url, on: ["ended"] }] } });
  // The rest of these answers goes to others; the receiver has each request before it is given up.
  for (let more = tried.length; more < 3; more += 1) {
    const controller = new AbortController();
    const sent = fetch(url, { method: "POST", signal: controller.signal }).catch(() => undefined);
    await expect.poll(() => tried.length + got.length).toBe(more + 1);
    controller.abort();
    await sent;
  }
  got.splice(0);
  expect((await cast(cwd, "two")).code).toBe(0);
  expect(idsOf(got)).toEqual([tried[0]?.headers["webhook-id"], expect.stringContaining(castsIn(cwd)[1] ?? "-")]);
  expect(pending(cwd)).toEqual([]);
});

it("[YN1] receivers of a project's file are refused, and a variable that is not set is a note", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": { notify: [{ url: "http://127.0.0.1:9" }] } });
  const checked = await run(["check", "--json"], { cwd });
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining("user_setting_in_project")]);
  const other = place({ url: "http://127.0.0.1:9", secret: "$NOT_SET_HERE" });
  const ran = await run(CAST.filter((word) => word !== "--quiet").concat("hello"), { cwd: other });
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("NOT_SET_HERE is not set")]);
  expect(pending(other)).toEqual([]);
});

it("[YN1] each faulty entry of a receiver is named with its place", async () => {
  const cwd = place({ url: "http://127.0.0.1:9", on: ["wait"], format: "mail" });
  const { code, stdout } = await run(["check", "--json"], { cwd });
  expect([code, stdout]).toEqual([1, expect.stringContaining(`"path": "notify.0.on.0"`)]);
  expect(stdout).toContain(`"path": "notify.0.format"`);
});

it("[YN5] the end of a queue is a notice", async () => {
  const { url, got } = await receiver([status(500)]);
  const cwd = place({ url, on: ["queue"] });
  const queue = (...words: readonly string[]) => run(["queue", "--config", "plain.json", ...words], { cwd });
  await queue("add", "one");
  await queue("run", "--rehearse", "replies.json");
  expect(pending(cwd)).toEqual([expect.stringMatching(/queue-.*\.notice$/)]);
  await queue("add", "two");
  await queue("run", "--rehearse", "replies.json");
  expect(pending(cwd)).toEqual([]);
  expect(typesOf(got)).toEqual(got.map(() => "materia.queue"));
  expect(new Set(idsOf(got)).size).toBe(2);
});
