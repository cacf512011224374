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
