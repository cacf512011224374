import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { CastStep } from "../../src/core/cast/timeline.ts";
import { fail } from "../../src/core/model/issue.ts";
import type { PreparedCast } from "../../src/shell/casting/prepared-cast.ts";
import { castOf, ended, hear, journalOf, line, project, refusal, site, type Message } from "./harness.ts";

const ids = (messages: readonly Message[]): readonly string[] => messages.flatMap(({ id }) => id ?? []);
const upTo = (seq: number) => (message: Message) => message.id === String(seq);

describe("the events of a cast", () => {
  it("[N11] all that there is, then each new one as it is appended", async () => {
    const at = site();
    const { append } = journalOf(at, "c", 3);
    const stream = hear(await at.ask("/api/casts/c/events"));
    expect(ids(await stream.until(upTo(3)))).toEqual(["1", "2", "3"]);
    append(4, 2);
    const heard = await stream.until(upTo(5));
    expect(heard.filter(({ id }) => id !== undefined)).toEqual([
      { event: "message", id: "4", data: JSON.parse(line(4)) },
      { event: "message", id: "5", data: JSON.parse(line(5)) },
    ]);
    await stream.close();
  });

  it("[N11] a cast that has no journal yet is waited for", async () => {
    const at = site();
    const { file, append } = journalOf(at, "c", 0);
    rmSync(file);
    const stream = hear(await at.ask("/api/casts/c/events"));
    expect((await stream.until(({ event }) => event === "live")).at(-1)?.data).toEqual({ live: false });
    append(1, 1);
    expect(ids(await stream.until(upTo(1)))).toEqual(["1"]);
    await stream.close();
  });

  it.each<[rule: string, query: string, header: string | undefined, first: string]>([
    ["[N12] behind the last one that was heard", "", "2", "3"],
    ["[N12] as the address says", "?after=3", undefined, "4"],
    ["[N12] what the browser knows is newer than the address", "?after=1", "3", "4"],
    ["[N12] from the beginning", "?after=0", undefined, "1"],
  ])("%s", async (_rule, query, header, first) => {
    const at = site();
    journalOf(at, "c", 5);
    const headers: Record<string, string> = header === undefined ? {} : { "last-event-id": header };
    const stream = hear(await at.ask(`/api/casts/c/events${query}`, { headers }));
    expect(ids(await stream.until(upTo(5)))[0]).toBe(first);
    await stream.close();
  });

  it("[N12] who has heard everything hears only what is new", async () => {
    const at = site();
    const { append } = journalOf(at, "c", 5);
    const stream = hear(await at.ask("/api/casts/c/events?after=5"));
    await stream.until(({ event }) => event === "live");
    append(6, 1);
    expect(ids(await stream.until(upTo(6)))).toEqual(["6"]);
    await stream.close();
  });

  it("[N12] a journal of many blocks and long lines is neither cut nor repeated", async () => {
    const at = site();
    const { file, append, sealed } = journalOf(at, "c", 2_000);
    appendFileSync(file, sealed(`${line(2_001, "ä".repeat(300_000))}\n`));
    append(2_002, 3);
    const stream = hear(await at.ask("/api/casts/c/events?after=1500"));
    const heard = (await stream.until(upTo(2_004))).filter(({ id }) => id !== undefined);
    expect(ids(heard)).toEqual(Array.from({ length: 504 }, (_, index) => String(1_501 + index)));
    expect(heard[500]?.data).toEqual(JSON.parse(line(2_001, "ä".repeat(300_000))));
    await stream.close();
  });

  it("[N12] half a line is sent when it is whole", async () => {
    const at = site();
    const { file, sealed } = journalOf(at, "c", 1);
    const whole = sealed(`${line(2, "über")}\n`);
    const half = Buffer.from(whole).indexOf(0xc3) + 1;
    const stream = hear(await at.ask("/api/casts/c/events?after=1"));
    await stream.until(({ event }) => event === "live");
    appendFileSync(file, Buffer.from(whole).subarray(0, half));
    appendFileSync(file, Buffer.from(whole).subarray(half));
    expect((await stream.until(upTo(2))).map(({ data }) => data)).toEqual([JSON.parse(line(2, "über"))]);
    await stream.close();
  });

  it.each<[rule: string, change: (file: string) => void]>([
    ["[N12] a journal that became shorter", (file) => truncateSync(file, 0)],
    ["[N12] a journal that is gone", (file) => rmSync(join(file, ".."), { recursive: true })],
  ])("%s", async (_rule, change) => {
    const at = site();
    const { file } = journalOf(at, "c", 3);
    const stream = hear(await at.ask("/api/casts/c/events"));
    await stream.until(({ event }) => event === "live");
    change(file);
    expect(await stream.rest()).toEqual([{ event: "reset", data: {} }]);
  });

  it("[N12] a listener that knows more than there is starts anew", async () => {
    const at = site();
    journalOf(at, "c", 3);
    const stream = hear(await at.ask("/api/casts/c/events?after=4"));
    expect(await stream.rest()).toEqual([{ event: "reset", data: {} }]);
  });

  it.each<[rule: string, damaged: string]>([
    ["[N12] no JSON", "{"],
    ["[N12] no event", '{"seq":3,"at":"2026-01-01T00:00:00.000Z","type":"nothing_known"}'],
    ["[N12] a number that is missing", line(4)],
  ])("%s", async (_rule, damaged) => {
    const at = site();
    const { file, sealed } = journalOf(at, "c", 2);
    appendFileSync(file, sealed(`${damaged}\n${line(4)}\n`));
    const stream = hear(await at.ask("/api/casts/c/events"));
    const heard = await stream.rest();
    expect([ids(heard), heard.at(-1)]).toEqual([["1", "2"], { event: "damaged", data: { line: 3 } }]);
  });

  it.each(["[N12] -1", "[N12] 1.5", "[N12] x", "[N12] 9999999999999999"])("%s", async (after) => {
    const at = site();
    journalOf(at, "c", 1);
    const headers = { "last-event-id": after.slice(6) };
    expect(await refusal(at.ask("/api/casts/c/events", { headers }))).toBe("400 bad_event_number");
  });
});

const watchSystem = (): never => {
  throw new Error("ENOSPC");
};

it("[N11] where the system has no watches left, the journal is looked at each second", async () => {
  const at = site(project(), { watchSystem });
  const { append } = journalOf(at, "c", 1);
  const stream = hear(await at.ask("/api/casts/c/events"));
  await stream.until(({ event }) => event === "live");
  append(2, 1);
  at.tick();
  expect(ids(await stream.until(upTo(2)))).toEqual(["2"]);
  await stream.close();
  expect(at.watch.size()).toBe(0);
});

describe("what the agents do", () => {
  it("[N13, N40] tools and text come between the events, and a late follower gets the turn from its beginning", async () => {
    const at = site();
    const tools = [{ name: "write", arguments: { path: "a.txt", content: "x".repeat(5_000) } }];
    const replies = { Build: [{ tools, text: "done" }] };
    const id = await castOf(at, replies);
    const notes = (await ended(at, id)).filter(({ event }) => event === "progress").map(({ data }) => data);
    const place = { socket: "Socket-1", visit: 1 };
    expect(notes).toEqual([
      { ...place, kind: "asked" },
      { ...place, kind: "used", usage: { input: 0, output: 0, cost: 0 } },
      {
        ...place,
        kind: "tool_started",
        id: expect.any(String),
        name: "write",
        args: { path: "a.txt", content: `${"x".repeat(2_000)}… [cut: 3000 more characters]` },
      },
      {
        ...place,
        kind: "tool_ended",
        id: expect.any(String),
        name: "write",
        failed: false,
        said: expect.stringContaining("a.txt"),
      },
      { ...place, kind: "text", from: 0, delta: "done" },
      { ...place, kind: "used", usage: { input: expect.any(Number), output: 1, cost: 0 } },
    ]);
    expect(readFileSync(join(at.cwd, "a.txt"), "utf8")).toHaveLength(5_000);
  });
});

it("[N13] a tool is heard while it runs, and what it says takes the place of what it had said", async () => {
  const at = site();
  const command = "echo first; while [ ! -e go ]; do sleep 0.01; done; echo second";
  const id = await castOf(at, { Build: [{ tools: [{ name: "bash", arguments: { command } }], text: "done" }] });
  const stream = hear(await at.ask(`/api/casts/${id}/events`));
  const isKind = (kind: string) => (message: Message) => (message.data as { kind?: string }).kind === kind;
  const saysFirst = ({ data }: Message): boolean => String((data as { said?: string }).said).includes("first");
  const heard = await stream.until((message) => isKind("tool_said")(message) && saysFirst(message));
  expect(heard.at(-1)?.data).toMatchObject({ socket: "Socket-1", visit: 1 });
  at.write("go", "");
  const after = await stream.until(isKind("tool_ended"));
  expect(after.at(-1)?.data).toMatchObject({ failed: false, said: expect.stringContaining("second") });
  await stream.close();
});

it("[N40] a transcript that is a link or a pipe gives no progress and blocks nothing", async () => {
  const at = site();
  const { file, sealed } = journalOf(at, "c", 1);
  const started = { type: "visit_started", socket: "Socket-1", visit: 1, materia: "Build", item: null };
  appendFileSync(file, sealed(`${JSON.stringify({ ...JSON.parse(line(2)), ...started })}\n`));
  const visit = join(at.root, "c", "sockets", "Socket-1", "1");
  mkdirSync(visit, { recursive: true });
  const transcript = join(visit, "transcript.jsonl");
  execFileSync("/usr/bin/env", ["mkfifo", transcript]);
  const secret = { type: "message", message: { role: "assistant", content: "secret" } };
  at.write("secret.jsonl", `${JSON.stringify(secret)}\n`);
  const stream = hear(await at.ask("/api/casts/c/events"));
  await stream.until(upTo(2));
  rmSync(transcript);
  symlinkSync(join(at.cwd, "secret.jsonl"), transcript);
  appendFileSync(file, sealed(`${line(3)}\n`));
  expect((await stream.until(upTo(3))).filter(({ event }) => event === "progress")).toEqual([]);
  rmSync(transcript);
  writeFileSync(transcript, `${JSON.stringify(secret)}\n`);
  const heard = await stream.until(({ event }) => event === "progress");
  expect(heard.at(-1)?.data).toEqual({ socket: "Socket-1", visit: 1, kind: "text", from: 0, delta: "secret" });
  await stream.close();
});

describe("listeners that are slow or gone", () => {
  it("[N25] a listener that leaves takes its watches with it", async () => {
    const at = site();
    const { append } = journalOf(at, "c", 3);
    const streams = await Promise.all([at.ask("/api/casts/stream"), at.ask("/api/casts/c/events")]);
    expect(at.watch.size()).toBe(0);
    const heard = streams.map(hear);
    await Promise.all(heard.map((each) => each.until(({ event }) => event === "live" || event === "ready")));
    expect(at.watch.size()).toBeGreaterThan(0);
    append(4, 1);
    await Promise.all(heard.map((each) => each.close()));
    expect(at.watch.size()).toBe(0);
  });

  it("[N25] a connection that is cut is as good as closed, and a HEAD opens nothing", async () => {
    const at = site();
    journalOf(at, "c", 3);
    const control = new AbortController();
    const stream = hear(await at.ask("/api/casts/c/events", { signal: control.signal }));
    await stream.until(({ event }) => event === "live");
    control.abort();
    expect(at.watch.size()).toBe(0);
    await at.ask("/api/casts/c/events", { method: "HEAD" });
    expect(at.watch.size()).toBe(0);
  });

  it("[N25] nothing is read for a listener that takes nothing", async () => {
    const at = site();
    const { append } = journalOf(at, "c", 3);
    const answer = await at.ask("/api/casts/c/events");
    append(4, 20_000);
    const reader = answer.body?.getReader();
    await reader?.read();
    const piece = await reader?.read();
    expect(piece?.value?.length).toBeLessThan(200_000);
    await reader?.cancel();
    expect(at.watch.size()).toBe(0);
    expect(at.problems).toEqual([]);
  });

  it("[N25] notes that nobody takes are joined, and the oldest go", async () => {
    const { createProgressQueue: noteQueue } = await import("../../src/shell/casting/live-progress.ts");
    const queue = noteQueue();
    const delta = "x".repeat(1_000);
    for (let from = 0; from < 2_000_000; from += 1_000)
      queue.push({ socket: "S", visit: 1, kind: "text", from, delta });
    const kept = queue.all().map((note) => (note.kind === "text" ? note : { from: 0, delta: "" }));
    const last = kept.at(-1);
    expect((last?.from ?? 0) + (last?.delta.length ?? 0)).toBe(2_000_000);
    expect(kept.reduce((sum, note) => sum + note.delta.length, 0)).toBeLessThan(400_000);
    expect(kept.length).toBeLessThan(10);
  });

  it("[N13] one that joins later does not hear usage that an event has counted", async () => {
    const { runs } = site();
    const state = { phase: { kind: "visiting", visit: { socket: "S", number: 1 } } } as unknown as CastState;
    const usage = { input: 9, output: 1, cost: 0 };
    const end = Promise.withResolvers<never>();
    const run: PreparedCast["run"] = ({ onSteps, onProgress }) => {
      onProgress?.({ kind: "asked", system: "" }, state);
      onProgress?.({ kind: "used", usage }, state);
      onSteps?.([{ event: { type: "turn_retried", usage }, before: state, after: state } as unknown as CastStep]);
      onProgress?.({ kind: "retrying", attempt: 1, delayMs: 1, error: "429" }, state);
      return end.promise;
    };
    await runs.begin({ castId: "c", run } as unknown as PreparedCast);
    const heard: string[] = [];
    runs.listen("c", ({ kind }) => heard.push(kind));
    expect(heard).toEqual(["asked", "retrying"]);
    end.resolve(fail() as never);
  });
});
