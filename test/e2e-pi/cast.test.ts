import { beforeAll, describe, expect, it } from "vitest";
import { castsIn } from "../harness/cli.ts";
import { newPiPlace, userConfig, type PiPlace } from "../harness/pi-place.ts";
import { startPi, type PiRpc } from "../harness/pi-rpc.ts";
import { all, lastAsked, notice, result, settingsOf, settled, status, visitCard, widget } from "../harness/pi-seen.ts";

const PLAN = JSON.stringify({ workItems: [{ title: "first thing", context: "" }, { title: "second thing", context: "" }] });

/** Plan, then for each item build and judge; a refused item is built again. */
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

describe("a cast over RPC", () => {
  let place: PiPlace;
  let pi: PiRpc;

  beforeAll(async () => {
    place = await newPiPlace(userConfig(SMALL), { text: "hello to you" });
    pi = startPi(place);
    await pi.type("the user's own question");
    await pi.until("the answer", settled);
  });

  it("[X4, X8, X10, X11, X12, X13] runs beside the session, is shown as it goes, and leaves a result and nothing else", async () => {
    const before = await settingsOf(pi);
    const held = Promise.withResolvers<void>();
    place.model.say(
      { text: PLAN, usage: { input: 1000, output: 50 } },
      { call: { name: "write", arguments: { path: "first.txt", content: "one" } } },
      { text: "the first was made and told about at length", until: held.promise },
      { text: `{"satisfied":false,"context":"no second line"}` },
      { text: "made again" },
      { text: `{"satisfied":true}` },
      { text: "the second was made" },
      { text: `{"satisfied":true}` },
    );
    pi.mark();
    await pi.type("/materia cast --loadout Small do both things");
    expect(all(pi, result)).toEqual([]);

    const running = await pi.until("what the agent says", widget(/» the first was made/));
    expect(running).toMatch(/running {2}Small {2}\d{8}-/);
    expect(running).toContain("do both things");
    expect(running).toContain("item 1 of 2: first thing");
    expect(running).toMatch(/Make \(Socket-2\) {2}visit 1/);
    expect(running).toContain("✓ write first.txt");
    expect(await pi.until("the status line", status(/Make · item 1 of 2/))).toMatch(/1.1k tokens/);
    held.resolve();

    const end = await pi.until("the result", result);
    expect(end).toMatch(/^A materia cast completed: Small/);
    expect(end).toContain("✓ completed");
    expect(end).toContain("2 of 2 items");
    expect(end).toMatch(/\/materia show \d{8}-/);
    const cards = all(pi, visitCard);
    expect(cards).toHaveLength(7);
    expect(cards[2]).toMatch(/Judge \(Socket-3\).*no second line.*→ Socket-2 \(Make\)/s);
    const last = pi.records.findLast((record) => record.type === "extension_ui_request" && record.method === "setWidget");
    expect(last).not.toHaveProperty("widgetLines");

    expect(await settingsOf(pi)).toEqual(before);
    place.model.say({ text: "and more" });
    pi.mark();
    await pi.type("another question");
    await pi.until("the answer", settled);
    const asked = lastAsked(place.model);
    expect(asked).toMatchObject({ model: "plain", thinking: "low", tools: ["bash", "edit", "read", "write"] });
    expect(asked.said).toEqual([
      "user: the user's own question",
      "assistant: hello to you",
      expect.stringMatching(/^user: A materia cast completed: Small/),
      "user: another question",
    ]);
  });

  it("[X14] an agent of a cast has its own system text, model, tools and history, and the user's provider", async () => {
    const [, draft, make] = place.model.requests;
    expect(draft).toMatchObject({ model: "clever", reasoning_effort: "high" });
    expect(make).toMatchObject({ model: "plain" });
    expect(JSON.stringify(draft?.messages)).toContain("You draft.");
    expect(JSON.stringify([draft, make])).not.toContain("the user's own question");
  });

  it("[X1] link chains what is named, with the same grammar as on the command line", async () => {
    place.model.say({ text: "drawn up" }, { text: "made of it" });
    pi.mark();
    await pi.type('/materia link Make materia:Build -- "two words" and more');
    const end = await pi.until("the result", result);
    expect(end).toContain("Make → Build");
    expect(end).toContain("Result: made of it");
    expect(lastAsked(place.model).said.join()).toMatch(/"two words" and more.*drawn up/s);
  });

  it("[X19] what is typed during a visit is kept and sent when the cast is over", async () => {
    const held = Promise.withResolvers<void>();
    place.model.say({ text: "made in the meantime", until: held.promise }, { text: "to your later question" });
    pi.mark();
    await pi.type("/materia link Make -- take your time");
    await pi.until("the first words", widget(/» made in/));
    await pi.type("a later question");
    await pi.type("and one more");
    await pi.until("a word about it", notice(/[Kk]ept/));
    held.resolve();
    expect(await pi.until("the result", result)).toContain("Result: made in the meantime");
    await pi.until("the answer", settled);
    expect(lastAsked(place.model).said.at(-1)).toBe("user: a later question\n\nand one more");
    expect(lastAsked(place.model, 1).said.join()).not.toContain("later question");
  });

  it("[X7] a second cast is refused while one runs", async () => {
    const held = Promise.withResolvers<void>();
    place.model.say({ text: "made alone", until: held.promise });
    pi.mark();
    await pi.type("/materia link Make -- the only one");
    await pi.until("the first words", widget(/» made/));
    const count = castsIn(place.cwd).length;
    await pi.type("/materia link Make -- one too many");
    expect(await pi.until("the refusal", notice(/running/))).toMatch(/\/materia abort/);
    expect(castsIn(place.cwd)).toHaveLength(count);
    held.resolve();
    expect(await pi.until("the result", result)).toContain("completed");
  });

  it("[X5] /materia abort stops the turn and its end is shown", async () => {
    place.model.say({ hang: "after text" });
    pi.mark();
    await pi.type("/materia link Make -- never to end");
    await pi.until("the first words", widget(/» thinking aloud/));
    await pi.type("/materia abort");
    const end = await pi.until("the result", result);
    expect(end).toMatch(/aborted/);
    expect(end).toMatch(/\/materia recast \d{8}-/);
  });

  it("[X11] a provider that fails ends the cast with its words and the way on", async () => {
    place.model.say({ status: 401, message: "your key has expired" });
    pi.mark();
    await pi.type("/materia link Make -- without luck");
    const end = await pi.until("the result", result);
    expect(end).toContain("your key has expired");
    place.model.say({ text: "made in the end" });
    pi.mark();
    await pi.type("/materia recast");
    expect(await pi.until("the result", result)).toContain("Result: made in the end");
  });

  it("[X1] an unknown sub-command is refused with the nearest one, and nothing is asked of the model", async () => {
    const asked = place.model.requests.length;
    pi.mark();
    await pi.type("/materia lnik Make -- x");
    expect(await pi.until("the refusal", notice(/lnik/))).toContain('"link"');
    await pi.type("/materia link Make");
    expect(await pi.until("the refusal", notice(/--/))).toMatch(/prompt|--/);
    await pi.type("/materia show nothing-like-it");
    await pi.until("the refusal", notice(/nothing-like-it/));
    await pi.type("/materia");
    expect(await pi.until("help", notice(/\/materia cast/))).toContain("/materia link");
    expect(place.model.requests).toHaveLength(asked);
  });

  it("[X2] looking commands answer with notices", async () => {
    pi.mark();
    await pi.type("/materia casts");
    expect(await pi.until("the list", notice(/do both things/))).toMatch(/completed.*Small/);
    await pi.type("/materia show");
    expect(await pi.until("the story", notice(/made in the end/))).toMatch(/Make \(Socket-1\)/);
    await pi.type("/materia grid Small");
    await pi.until("the graph", notice(/Judge/));
  });

  it("[X13] nothing went wrong inside Pi, and it ends as it should", async () => {
    expect(pi.records.filter((record) => record.type === "extension_error")).toEqual([]);
    expect(pi.stderr()).toBe("");
    expect(await pi.close()).toBe(0);
  });
});
