import { describe, expect, it } from "vitest";
import { castsIn, eventsOf, journalOf, run, runProcess } from "../harness/cli.ts";
import type { ServerReply } from "../harness/model-server.ts";
import { newPiPlace, userConfig, type PiPlace } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";
import {
  castIdIn,
  lastAsked,
  notice,
  result,
  settingsOf,
  settled,
  status,
  streaming,
  widget,
} from "../harness/pi-seen.ts";

const TWO = {
  materia: {
    Sketch: { prompt: "You sketch.", tools: "none" },
    Make: { prompt: "You make.", tools: "coding", model: "stand-in/clever" },
    Consult: {
      prompt: "You consult.",
      tools: "readOnly",
      interactive: true,
      model: "stand-in/clever",
      thinking: "high",
    },
  },
};

function newTwo(...replies: readonly ServerReply[]): Promise<PiPlace> {
  return newPiPlace(userConfig(TWO), ...replies);
}

describe("after a crash", () => {
  it("[X27] a new Pi says which cast was interrupted, and recast continues it", async () => {
    const place = await newTwo({ text: "a sketch" }, { hang: "after text" });
    const first = startPi(place);
    await first.type("/materia link Sketch Make -- a hut");
    await first.until("the second visit", widget(/» thinking aloud/));
    await first.kill();

    const second = startPi(place);
    const line = await second.until("the line at the start", notice(/interrupted/));
    const castId = castIdIn(line);
    expect(line).not.toContain("\n");
    expect(line).toContain(`/materia recast ${castId}`);
    place.model.say({ text: "a hut" });
    await second.type(`/materia recast ${castId}`);
    expect(await second.until("the result", result)).toContain("Result: a hut");
    const sketches = place.model.requests.filter(({ messages }) => JSON.stringify(messages).includes("You sketch."));
    expect(sketches).toHaveLength(1);
    expect(visitsOf(place, castId)).toEqual(["Socket-1 1", "Socket-2 1"]);
  });

  it("[X21, X27] a session that was killed in a visible turn is the user's again, and the cast still goes on", async () => {
    const place = await newTwo({ text: "hello to you" }, { hang: "after text" });
    const first = startPi(place);
    await first.type("the user's own question");
    await first.until("the answer", settled);
    await first.type("/materia link Consult -- a hut");
    await first.until("the turn", streaming);
    expect(await settingsOf(first)).toEqual({ model: "clever", thinking: "high" });
    await first.kill();

    const second = startPi(place, { args: ["--continue"] });
    await second.until("the line at the start", notice(/interrupted/));
    expect(await settingsOf(second)).toEqual({ model: "plain", thinking: "low" });
    place.model.say({ text: "of course" });
    await second.type("another question");
    await second.until("the answer", settled);
    const asked = lastAsked(place.model);
    expect(asked).toMatchObject({ model: "plain", thinking: "low", tools: ["bash", "edit", "read", "write"] });
    expect(asked.said).toEqual(["user: the user's own question", "assistant: hello to you", "user: another question"]);

    place.model.say({ text: "wood or stone?" });
    await second.type("/materia recast");
    await second.until("the question", status(/waits for you/));
    expect(lastAsked(place.model)).toMatchObject({ model: "clever", system: expect.stringContaining("You consult.") });
    expect(lastAsked(place.model).said.join()).not.toContain("question");
  });
});

describe("one cast, two faces", () => {
  it("[X30] what was begun in Pi is shown and goes on on the command line", async () => {
    const place = await newTwo({ text: "a sketch" }, { hang: "after text" });
    const pi = startPi(place);
    await pi.type("/materia link Sketch Make -- a hut");
    await pi.until("the second visit", widget(/» thinking aloud/));
    const options = { cwd: place.cwd, env: place.env };
    const running = await run(["casts", "--json"], options);
    expect(JSON.parse(running.stdout)).toMatchObject([{ status: "running", request: "a hut" }]);
    await pi.kill();

    const listed = await run(["casts", "--json"], options);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ status: "interrupted", visits: 1 }]);
    expect((await run(["show"], options)).stdout).toContain("a sketch");
    place.model.say({ text: "a hut" });
    const done = await run(["recast", "--model", "stand-in/plain"], options);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("a hut") });
    const [castId = ""] = castsIn(place.cwd);
    expect(visitsOf(place, castId)).toEqual(["Socket-1 1", "Socket-2 1"]);
  });

  it("[X30] what waits on the command line is refined and finished in Pi", async () => {
    const place = await newTwo({ text: "wood or stone?" }, { text: "a hut of stone" }, { text: "built of stone" });
    const options = { cwd: place.cwd, env: place.env };
    const begun = await run(["link", "--json", "Consult", "Make", "--", "a hut"], options);
    expect(begun.code).toBe(4);
    expect(eventsOf(begun.stdout).at(-1)).toMatchObject({ type: "cast_waiting" });

    const pi = startPi(place);
    const line = await pi.until("the line at the start", notice(/waits for you/));
    const castId = castIdIn(line);
    expect(line).toContain(`/materia continue ${castId}`);
    await pi.type("/materia continue stone, please");
    await pi.until("the plan", status(/waits for you/));
    expect(lastAsked(place.model).said).toEqual([
      expect.stringContaining("a hut"),
      "assistant: wood or stone?",
      expect.stringContaining("stone, please"),
    ]);
    await pi.type("/materia continue");
    expect(await pi.until("the result", result)).toContain("Result: built of stone");
    const ended = await run(["casts", "--json"], options);
    expect(JSON.parse(ended.stdout)).toMatchObject([{ castId, status: "completed" }]);
  });

  it("[X5, X30] a cast that runs on the command line is stopped from Pi", async () => {
    const place = await newTwo({ hang: "after text" });
    const options = { cwd: place.cwd, env: place.env };
    const asked = place.model.asked();
    const running = runProcess(["link", "Sketch", "--", "a hut"], options);
    await asked;
    const [castId = ""] = castsIn(place.cwd);
    const pi = startPi(place);
    await pi.type(`/materia abort ${castId}`);
    await pi.until("a word about it", notice(/abort/));
    expect((await running).code).toBe(130);
  });
});

function visitsOf({ cwd }: PiPlace, castId: string): readonly string[] {
  return journalOf(cwd, castId).flatMap((event) =>
    event.type === "visit_completed" ? [`${event.socket} ${event.visit}`] : [],
  );
}
