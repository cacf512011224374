import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { castsIn } from "../harness/cli.ts";
import type { ServerReply } from "../harness/model-server.ts";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";
import {
  all,
  gone,
  lastAsked,
  notice,
  openedCard,
  result,
  settingsOf,
  settled,
  status,
  visitCard,
  widget,
} from "../harness/pi-seen.ts";

/** Plan, then for each item make and judge; a refused item is made again. */
const SMALL = {
  materia: {
    Draft: { prompt: "You draft.", tools: "readOnly", generator: true, model: "stand-in/clever", thinking: "high" },
    Make: { prompt: "You make.", tools: "coding" },
    Judge: { prompt: "You judge.", tools: "none", parse: "json" },
  },
  loadouts: {
    Small: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Draft", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Make", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": {
          materia: "Judge",
          advance: { when: "satisfied" },
          edges: [
            { when: "not_satisfied", to: "Socket-2", maxTraversals: 2 },
            { when: "satisfied", to: "Socket-2" },
          ],
        },
      },
      loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
    },
  },
};

const PLAN = JSON.stringify({ workItems: ["first thing", "second thing"].map((title) => ({ title, context: "" })) });

async function open(...replies: readonly ServerReply[]) {
  const place = await newPiPlace(userConfig(SMALL), ...replies);
  return { place, pi: startPi(place) };
}

/** One cast with a refused item, watched from its first frame to the question after it. */
async function watched() {
  const held = Promise.withResolvers<void>();
  const { place, pi } = await open(
    { text: "hello to you" },
    { text: PLAN, usage: { input: 1000, output: 50 } },
    { call: { name: "write", arguments: { path: "first.txt", content: "one" } } },
    { text: "the first was made and told about at length", until: held.promise },
    { text: `{"satisfied":false,"context":"no second line"}` },
    { text: "made again" },
    { text: `{"satisfied":true}` },
    { text: "the second was made" },
    { text: `{"satisfied":true}` },
    { text: "and more" },
  );
  await pi.type("the user's own question");
  await pi.until("the answer", settled);
  const before = await settingsOf(pi);
  // The command is answered although the cast cannot have ended.
  await pi.type("/materia cast --loadout Small do both things");
  const running = await pi.until("what the agent says", widget(/» the first was made/));
  const line = await pi.until("the status line", status(/Make · item 1 of 2/));
  const written = existsSync(join(place.cwd, "first.txt"));
  held.resolve();
  const end = await pi.until("the result", result);
  const [cards, opened] = [all(pi, visitCard), all(pi, openedCard)];
  const after = await settingsOf(pi);
  pi.mark();
  await pi.type("another question");
  await pi.until("the answer", settled);
  const exit = await pi.close();
  return { place, pi, before, running, line, written, end, cards, opened, after, exit };
}

describe("a cast over RPC, from its first frame to the question after it", () => {
  let seen: Awaited<ReturnType<typeof watched>>;
  beforeAll(async () => {
    seen = await watched();
  });

  it("[X4, X8] it runs beside the session, and a widget and the status line say where it is", () => {
    expect(seen.running).toMatch(/running {2}Small {2}\d{8}-/);
    expect(seen.running).toContain("do both things");
    expect(seen.running).toContain("item 1 of 2: first thing");
    expect(seen.running).toMatch(/Make \(Socket-2\) {2}visit 1/);
    // What is being written counts as an estimate until its usage is known.
    expect(seen.line).toMatch(/1\.[01]\d k tokens/);
  });

  it("[X9] the widget shows what the agent did, and it was done", () => {
    expect(seen.running).toContain("✓ write first.txt");
    expect(seen.written).toBe(true);
  });

  it("[X8] widget and status line are gone when it is over", () => {
    const shown = seen.pi.records.filter((record) => record.type === "extension_ui_request");
    for (const method of ["setWidget", "setStatus"] as const) {
      const last = shown.findLast((record) => record.method === method);
      expect(last && gone(method)(last)).toBe(true);
    }
  });

  it("[X10] each visit left a card with its item, its verdict and its way", () => {
    expect(seen.cards).toHaveLength(7);
    expect(seen.cards[2]).toMatch(/Judge \(Socket-3\).*item 1 of 2: first thing.*→ Socket-2 \(Make\)/s);
    expect(seen.opened[2]).toContain("no second line");
  });

  it("[X11] the result has outcome, figures and the next command", () => {
    expect(seen.end).toMatch(/^A materia cast completed: Small/);
    expect(seen.end).toContain("✓ completed");
    expect(seen.end).toContain("2 of 2 items");
    expect(seen.end).toMatch(/\/materia show \d{8}-/);
  });

  it("[X12, X20] the user's settings are as they were, and the conversation knows the result alone", () => {
    expect(seen.after).toEqual(seen.before);
    const asked = lastAsked(seen.place.model);
    expect(asked).toMatchObject({ model: "plain", thinking: "low", tools: ["bash", "edit", "read", "write"] });
    expect(asked.said).toEqual([
      "user: the user's own question",
      "assistant: hello to you",
      expect.stringMatching(/^user: A materia cast completed: Small/),
      "user: another question",
    ]);
  });

  it("[A2] agents have the model and thinking level of their materia, and nothing of the user's conversation", () => {
    const [, draft, make] = seen.place.model.requests;
    expect(draft).toMatchObject({ model: "clever", reasoning_effort: "high" });
    expect(make).toMatchObject({ model: "plain", reasoning_effort: "low" });
    expect(JSON.stringify([draft, make])).not.toContain("the user's own question");
  });

  it("[X13] nothing failed inside the extension", () => {
    expect(seen.pi.records.filter((record) => record.type === "extension_error")).toEqual([]);
    expect(seen.exit).toBe(0);
    expect(seen.pi.stderr()).toBe("");
  });
});

describe("casts over RPC", () => {
  it("[X1] link chains what is named, with the same grammar as on the command line", async () => {
    const { place, pi } = await open({ text: "drawn up" }, { text: "made of it" });
    await pi.type('/materia link Make materia:Build -- "two words" and more');
    const end = await pi.until("the result", result);
    expect(end).toContain("Make → Build");
    expect(end).toContain("Result: made of it");
    expect(lastAsked(place.model).said.join()).toMatch(/"two words" and more.*drawn up/s);
  });

  it("[X36] what is typed while an agent works goes to it, and to nobody else", async () => {
    const held = Promise.withResolvers<void>();
    const { place, pi } = await open({ text: "made in the meantime", until: held.promise }, { text: "with a door" });
    await pi.type("/materia link Make -- take your time");
    await pi.until("the first words", widget(/» made in/));
    await pi.type("with a door, please");
    await pi.until("a word about it", notice(/Make gets this now/));
    held.resolve();
    expect(await pi.until("the result", result)).toContain("Result: with a door");
    expect(lastAsked(place.model).said.at(-1)).toBe("user: with a door, please");
    expect(place.model.requests).toHaveLength(2);
  });

  it("[X7, X42] a second cast is refused while one runs, here and in another Pi, which does not abort it unnamed either", async () => {
    const held = Promise.withResolvers<void>();
    const { place, pi } = await open({ text: "made alone", until: held.promise });
    await pi.type("/materia link Make -- the only one");
    await pi.until("the first words", widget(/» made/));
    await pi.type("/materia link Make -- one too many");
    expect(await pi.until("the refusal", notice(/running/))).toMatch(/\/materia abort/);
    const other = startPi(place);
    await other.type("/materia link Make -- one too many");
    expect(await other.until("the refusal", notice(/cast_running/))).toContain(String(pi.pid));
    other.mark();
    await other.type("/materia abort");
    expect(await other.until("the refusal", notice(/not this session/))).toMatch(/\/materia abort \d{8}-/);
    expect(castsIn(place.cwd)).toHaveLength(1);
    expect(place.model.requests).toHaveLength(1);
    held.resolve();
    expect(await pi.until("the result", result)).toContain("completed");
  });

  it("[X5] abort stops the turn, shows the end, and the cast can go on later", async () => {
    const { place, pi } = await open({ hang: "after text" }, { text: "made after all" });
    await pi.type("/materia link Make -- never to end");
    await pi.until("the first words", widget(/» thinking aloud/));
    await pi.type("/materia abort");
    expect(await pi.until("the result", result)).toMatch(/^A materia cast aborted.*\/materia recast \d{8}-/s);
    await pi.until("the widget to go", gone("setWidget"));
    pi.mark();
    await pi.type("/materia recast");
    expect(await pi.until("the result", result)).toContain("Result: made after all");
    expect(castsIn(place.cwd)).toHaveLength(1);
  });

  it("[X11] a provider that fails ends the cast with its words and the way on", async () => {
    const { pi } = await open({ status: 401, message: "your key has expired" }, { text: "made in the end" });
    await pi.type("/materia link Make -- without luck");
    const end = await pi.until("the result", result);
    expect(end).toMatch(/^A materia cast failed/);
    expect(end).toContain("your key has expired");
    expect(end).toMatch(/\/materia recast \d{8}-/);
    pi.mark();
    await pi.type("/materia recast");
    expect(await pi.until("the result", result)).toContain("Result: made in the end");
  });
});
