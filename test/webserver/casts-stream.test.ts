import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castOf, hear, journalOf, site, type Message } from "./harness.ts";

const isReady = ({ event }: Message): boolean => event === "ready";
const shown = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ event, data }) => {
    const { castId = "", status = "" } = data as { castId?: string; status?: string };
    return [event, castId, status].join(" ").trim();
  });

describe("the list of casts", () => {
  it("[N10] every cast, newest first, then what appears, changes and goes", async () => {
    const at = site();
    journalOf(at, "a", 1);
    const { append } = journalOf(at, "b", 1);
    const stream = hear(await at.ask("/api/casts/stream"));
    expect(shown(await stream.until(isReady))).toEqual(["cast b interrupted", "cast a interrupted", "ready"]);
    append(2, 1);
    journalOf(at, "c", 1);
    expect(shown(await stream.until(({ data }) => (data as { castId: string }).castId === "c"))).toEqual([
      "cast c interrupted",
    ]);
    rmSync(join(at.root, "a"), { recursive: true });
    expect(shown(await stream.until(({ event }) => event === "gone"))).toEqual(["gone a"]);
    await stream.close();
  });

  it("[N10] a long list comes in parts, newest first, and others are answered between them", async () => {
    const at = site();
    const ids = Array.from({ length: 250 }, (_, index) => `c${1000 + index}`);
    for (const id of ids) journalOf(at, id, 1);
    const { body } = await at.ask("/api/casts/stream");
    if (!body) throw new Error("there is no stream");
    // Counts how often others had their turn.
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const pieces: { readonly text: string; readonly turn: number }[] = [];
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      pieces.push({ text: piece, turn: turns });
      if (piece.includes("event: ready")) break;
    }
    clearImmediate(next);
    const parts = pieces
      .map(({ text, turn }) => ({ turn, casts: [...text.matchAll(/"castId":"(c\d+)"/g)].map(([, id]) => id) }))
      .filter(({ casts }) => casts.length > 0);
    expect(parts.flatMap(({ casts }) => casts)).toEqual(ids.toReversed());
    expect(parts.map(({ casts }) => casts.length)).toEqual([100, 100, 50]);
    expect(new Set(parts.map(({ turn }) => turn)).size).toBe(3);
  });

  it("[N10] the first cast of a project appears, and is followed to its end", async () => {
    const at = site();
    const stream = hear(await at.ask("/api/casts/stream"));
    expect(shown(await stream.until(isReady))).toEqual(["ready"]);
    const is = (status: string) => (message: Message) => (message.data as { status: string }).status === status;
    // Its agent waits at a pipe, so that nobody can miss that it runs.
    const pipe = join(at.cwd, "pipe");
    execFileSync("/usr/bin/env", ["mkfifo", pipe]);
    const tools = [{ name: "bash", arguments: { command: "cat pipe" } }];
    const id = await castOf(at, { Build: [{ tools, text: "done" }] });
    expect(shown(await stream.until(is("running")))).toEqual([`cast ${id} running`]);
    await writeFile(pipe, "go on");
    const heard = shown(await stream.until(is("completed")));
    expect(heard.filter((each) => each !== `cast ${id} running`)).toEqual([`cast ${id} completed`]);
    await stream.close();
  });
});
