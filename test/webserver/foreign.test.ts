import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { hear, isEvent, json, refusal, site, type Heard, type Message, type Site } from "./harness.ts";

const MATERIA = join(import.meta.dirname, "../../bin/materia.mjs");

/** An agent that writes a file, then works until the file `navigate` is there. */
const REPLIES = {
  Build: [
    {
      tools: [
        { name: "write", arguments: { path: "a.txt", content: "hi" } },
        { name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.01; done" } },
      ],
      text: "done",
    },
  ],
};

/** A cast that another process drives, up to the tool that waits. */
async function elsewhere(at: Site) {
  at.write("r.json", { replies: REPLIES });
  const list = hear(await at.ask("/api/casts/stream"));
  await list.until(({ event }) => event === "ready");
  const args = [MATERIA, "link", "--rehearse", "r.json", "Build", "--", "do it"];
  const child = spawn(process.execPath, args, { cwd: at.cwd, env: at.place.env, stdio: "ignore" });
  const exited = once(child, "exit");
  const go = (): void => writeFileSync(join(at.cwd, "go"), "");
  onTestFinished(async () => {
    go();
    child.kill("SIGKILL");
    await exited;
    await list.close();
  });
  const castId = castIdOf(last(await list.until(({ event }) => event === "cast")));
  const stream = hear(await at.ask(`/api/casts/${castId}/events`));
  const heard = await stream.until(({ data }) => kindOf(data) === "tool_started bash");
  return { child, exited, go, list, castId, stream, heard };
}

const castIdOf = ({ data }: Message): string => (data as { castId: string }).castId;

function last(messages: readonly Message[]): Message {
  const message = messages.at(-1);
  if (!message) throw new Error("nothing was heard");
  return message;
}

function kindOf(data: unknown): string {
  const { kind = "", name = "" } = data as { kind?: string; name?: string };
  return [kind, name].join(" ").trim();
}

const notes = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ event }) => event === "progress").map(({ data }) => kindOf(data));

async function nextLive(stream: Heard): Promise<unknown> {
  return (await stream.until(({ event }) => event === "live")).at(-1)?.data;
}

it("[N11, N40] a cast of another process is followed to its end, its agent through the transcript", async () => {
  const at = site();
  const { go, stream, heard, list, castId } = await elsewhere(at);
  expect(heard.filter(({ event }) => event === "live").map(({ data }) => data)).toEqual([{ live: true }]);
  expect(notes(heard)).toEqual(["asked", "tool_started write", "used", "tool_ended write", "tool_started bash"]);
  expect(heard.find(({ data }) => kindOf(data) === "tool_started write")?.data).toMatchObject({
    socket: "Socket-1",
    visit: 1,
    args: { path: "a.txt", content: "hi" },
  });
  go();
  const rest = await stream.until(isEvent("cast_ended"));
  expect(rest.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(await nextLive(stream)).toEqual({ live: false });
  const done = await list.until(({ data }) => (data as { status: string }).status !== "running");
  expect(done.at(-1)?.data).toMatchObject({ castId, status: "completed" });
  await stream.close();
});

it("[N10, N11] a process that is killed is missed within a second", async () => {
  const at = site();
  const { child, exited, stream, list, castId } = await elsewhere(at);
  child.kill("SIGKILL");
  await exited;
  at.tick();
  expect(await nextLive(stream)).toEqual({ live: false });
  const shown = await list.until(({ data }) => (data as { status: string }).status === "interrupted");
  expect(castIdOf(last(shown))).toBe(castId);
  await stream.close();
});

it("[N19] a cast of another process is not taken from it, and is aborted through it", async () => {
  const at = site();
  const { stream, castId, exited } = await elsewhere(at);
  expect(await refusal(at.send("/api/commands", { command: `recast ${castId}` }))).toBe("409 cast_owned");
  expect(await json(at.send("/api/commands", { command: `abort ${castId}` }))).toMatchObject({ code: 0 });
  expect((await stream.until(isEvent("cast_ended"))).at(-1)?.data).toMatchObject({ outcome: "aborted" });
  expect((await exited)[0]).toBe(130);
  await stream.close();
});
