import { beforeAll, describe, expect, it } from "vitest";
import { castsIn, journalOf, put } from "../harness/cli.ts";
import type { ServerReply } from "../harness/model-server.ts";
import { newPiPlace, userConfig, type PiPlace } from "../harness/pi-place.ts";
import { lastAsked } from "../harness/pi-seen.ts";
import { KEYS, openPiTui, type PiTui } from "../harness/pi-tui.ts";

async function open(...replies: readonly ServerReply[]): Promise<{ readonly place: PiPlace; readonly pi: PiTui }> {
  const place = await newPiPlace({}, ...replies);
  return { place, pi: await openPiTui(place) };
}

/** One cast in a terminal: while it runs, while the person types, when it is over, and with its card opened. */
async function watched() {
  const held = Promise.withResolvers<void>();
  const { place, pi } = await open(
    { text: `{"workItems":[{"title":"a small hut","context":""}]}`, usage: { input: 10, output: 5 } },
    { call: { name: "write", arguments: { path: "hut.txt", content: "a hut" } }, usage: { input: 10, output: 5 } },
    {
      text: "The hut stands, and this is how it was built.",
      until: held.promise,
      usage: { input: 9000, output: 800 },
    },
    { text: "You are welcome." },
  );
  await pi.send("/materia link Planner Build -- build me a hut");
  const running = await pi.sees(/Build \(Socket-2\) {2}visit 1/, /» The hut stands/);
  await pi.send("/materia casts");
  const listed = await pi.sees(/◔ running {2}\d{8}-\S+ .*Planner → Build/);
  pi.type("thank you");
  await pi.sees(/thank you/);
  pi.type(KEYS.altEnter);
  const beside = await pi.sees(/You are welcome\./, /◔ materia · Build/);
  held.resolve();
  const end = await pi.sees(/✓ completed {2}Planner → Build/);
  // The end, the visit of Build, the visit of Planner: one after the other.
  const cards: string[] = [];
  for (const card of [/2 visits/, /✓ write hut\.txt/, /1\. a small hut/]) {
    pi.type(KEYS.altO);
    cards.push(await pi.sees(card));
  }
  const opened = await pi.loses(/✓ write hut\.txt/);
  pi.type(KEYS.ctrlD);
  return { place, running, listed, beside, end, cards, opened, exit: await pi.exited };
}

describe("a cast watched in the terminal", () => {
  let seen: Awaited<ReturnType<typeof watched>>;
  beforeAll(async () => {
    seen = await watched();
  });

  it("[X8, X9] the widget shows the way so far and what the agent does", () => {
    expect(seen.running).toMatch(/running {2}Planner → Build/);
    expect(seen.running).toContain("build me a hut");
    expect(seen.running).toContain("✓ Planner ▸ Build");
    expect(seen.running).toContain("✓ write hut.txt");
    expect(seen.running).toMatch(/◔ materia · Build/);
  });

  it("[X10, X55] a visit that is over stands in a card, which opens", () => {
    expect(seen.running).toMatch(
      /1 {2}Planner \(Socket-1\).*handed over 1 work item: a small hut {2}→ Socket-2 \(Build\)/s,
    );
    expect(seen.opened).toContain("1. a small hut");
  });

  it("[X40] model, thinking level and the budget stand in the widget, and what was used in Pi's own line", () => {
    expect(seen.running).toMatch(/plain · low · \d+ of 10 M tokens · <\$0\.01 of \$20\.00/);
    expect(seen.end).toMatch(/↑9\.0k ↓8\d\d/);
  });

  it("[X46] a key opens one card after the other, each alone", () => {
    expect(seen.cards[1]).not.toContain("1. a small hut");
    expect(seen.opened).not.toContain("✓ write hut.txt");
  });

  it("[X2, X4, X57] the prompt stays usable: a command is answered, and Pi answers beside the cast", () => {
    expect(seen.running).toContain("Enter → Build · Alt+Enter → Pi");
    expect(seen.listed).toContain("Planner → Build");
    expect(seen.beside).toContain("thank you");
    expect(lastAsked(seen.place.model).said).toEqual(["user: thank you"]);
  });

  it("[X11] it ends in a card with its figures and the next command", () => {
    expect(seen.end).toMatch(/2 visits .* 9\.83 k tokens/);
    expect(seen.end).toMatch(/\/materia show \d{8}-\S+ {2}the story/);
    expect(seen.end).not.toContain("Esc or /materia abort");
    expect(seen.exit).toBe(0);
  });
});

describe("in the terminal", () => {
  it("[X28] sub-commands, targets and cast ids are completed", async () => {
    const { place, pi } = await open({ text: "made" });
    pi.type("/materia li");
    await pi.sees(/→ link +join saved materia and loadouts in one cast *$/m);
    pi.type(KEYS.tab);
    await pi.sees(/\/materia link\s*$/m);
    pi.type("loadout:Fu");
    await pi.sees(/→ loadout:Full-Auto/);
    pi.type(KEYS.tab);
    await pi.sees(/\/materia link loadout:Full-Auto/);
    pi.type("materia:Bui");
    await pi.sees(/→ materia:Build/);
    await clear(pi);

    await pi.send("/materia link Build -- something small");
    await pi.sees(/✓ completed/);
    const [castId = ""] = castsIn(place.cwd);
    pi.type("/materia show ");
    await pi.sees(new RegExp(`→ ${castId} +completed: something small`));
    pi.type(KEYS.tab);
    await pi.sees(new RegExp(`/materia show ${castId}`));
    pi.type(KEYS.enter);
    expect(await pi.sees(/the graph reached its end/)).toContain("made");
  });

  it("[X9, X19, X35] Esc interrupts a cast, the wait for a retry too, and asks, also while something is typed; aborted, it sends nobody what no agent has read", async () => {
    const limits = { retryBaseMs: 3_600_000 };
    const replies = [FAILING, STUCK, STUCK, STUCK, { text: "I am still here." }];
    const place = await newPiPlace(userConfig({ limits }), ...replies);
    const pi = await openPiTui(place);
    await pi.send("/materia link Build -- never to end");
    await pi.sees(/↻ retry 1 in \d+ s: .*the model is overloaded/, /running {2}Build/);
    pi.type(KEYS.escape);
    await pi.sees(/→ Continue/);
    pi.type(KEYS.enter);
    await pi.sees(/» thinking aloud/);
    pi.type("half a sentence");
    await pi.sees(/half a sentence/);
    // Esc as newer terminals write it.
    pi.type("\u001b[27u");
    await pi.sees(
      /Interrupted: Build. How to continue\?/,
      /Esc: the work goes on/,
      /The question below has the keys/,
      /→ Continue/,
    );
    pi.type(KEYS.escape);
    await pi.loses(/Interrupted:/);
    await pi.sees(/» thinking aloud/, /half a sentence/);
    await clear(pi);
    pi.type(KEYS.escape);
    await pi.sees(/→ Continue/);
    await choose(pi, /→ Continue/);
    await pi.sees(/» thinking aloud/);
    pi.type("and then delete it");
    await pi.sees(/and then delete it/);
    pi.type(KEYS.enter);
    await pi.sees(/⧗ not read yet: and then delete it/);
    pi.type(KEYS.escape);
    await pi.sees(/→ Continue/);
    await choose(pi, /→ Abort/);
    const end = await pi.sees(
      /■ aborted {2}Build/,
      /\/materia recast \d{8}-\S+ {2}go on/,
      /─\nand then delete it\s*\n─/,
    );
    expect(end).not.toContain("» thinking aloud");
    pi.type(CTRL_U);
    await pi.loses(/─\nand then delete it/);
    await pi.send("are you there?");
    await pi.sees(/I am still here\./);
    expect(lastAsked(place.model)).toMatchObject({ model: "plain", tools: ["bash", "edit", "read", "write"] });
  });

  it("[X17, X38, X50] planning together: it streams, waits, is refined, and goes on with /materia continue", async () => {
    const held = Promise.withResolvers<void>();
    const { place, pi } = await open(
      { text: "Wood or stone? Take your time to think about it.", until: held.promise },
      { text: `{"workItems":[{"title":"a hut of stone","context":""}]}` },
      { text: "The hut is of stone." },
      { hang: "after text" },
    );
    await pi.send("/materia link Interactive-Plan Build -- build me a hut");
    await pi.sees(/▸ Interactive-Plan \(Socket-1\)/, /^ ?Wood or stone\?/m, /Working/);
    held.resolve();
    await pi.sees(/‖ waiting for you {2}Interactive-Plan \(Socket-1\)/, /think about it\./, /type to refine/);
    await pi.send("stone, and go ahead");
    await pi.sees(/│ stone, and go ahead/, /a hut of stone/, /‖ waiting for you/);
    await pi.send("/materia continue");
    await pi.sees(/1\. a hut of stone/, /→ Approve/);
    pi.type(`\u001b[200~นี่\r\u001b\rand that\r\u001b[201~${KEYS.enter}`);
    await pi.sees(/Enter once more chooses/, /→ Approve/);
    pi.type(KEYS.enter);
    await pi.sees(/✓ completed {2}Interactive-Plan → Build/, /The hut is of stone\./, /─\nนี่\s*\n\s*\nand that/);
    await clear(pi);

    await pi.send("/materia link Interactive-Plan Build -- and a shed");
    await pi.sees(/thinking aloud/, /Working/);
    pi.type(KEYS.escape);
    await pi.sees(/Interrupted: Interactive-Plan/);
    await choose(pi, /→ Abort/);
    await pi.sees(/■ aborted {2}Interactive-Plan → Build/);
    place.model.say({ text: "I am still here." });
    await pi.send("are you there?");
    await pi.sees(/I am still here\./);
    const asked = lastAsked(place.model);
    expect(asked.tools).toEqual(["bash", "edit", "read", "write"]);
    expect(asked.said).toEqual([
      expect.stringMatching(/^user: A materia cast completed/),
      expect.stringMatching(/^user: A materia cast aborted/),
      "user: are you there?",
    ]);
  });

  it("[X6, X27, X61] /reload and Ctrl+D ask, and the next start names what was left", async () => {
    const { place, pi } = await open({ hang: "after text" }, { hang: "after text" }, { text: "Wood or stone?" });
    await pi.send("/materia link Build -- never to end");
    await pi.sees(/» thinking aloud/);
    pi.type("/relo");
    await pi.sees(/→ reload/);
    pi.type(KEYS.enter);
    await pi.sees(/A cast is running. What should happen to it\?/);
    await choose(pi, /→ Pause/);
    await pi.sees(/[Rr]eloaded/);
    await pi.sees(/The cast “never to end” was interrupted: \/materia recast/);
    expect(outcomes(place)).toEqual(["visit_started"]);
    expect(pi.view()).not.toContain("» thinking aloud");

    await pi.send("/materia recast");
    await pi.sees(/» thinking aloud/);
    pi.type(KEYS.ctrlD);
    await pi.sees(/A cast is running. What should happen to it\?/);
    await choose(pi, /→ Stay/);
    await pi.loses(/What should happen to it/);
    pi.type(KEYS.ctrlD);
    await pi.sees(/What should happen to it/);
    await choose(pi, /→ Abort/);
    expect(await pi.exited).toBe(0);
    expect(outcomes(place)).toEqual(["aborted"]);

    const next = await openPiTui(place);
    await next.send("/materia link Interactive-Plan -- a hut");
    await next.sees(/‖ waiting for you/);
    next.type(KEYS.ctrlD);
    expect(await next.exited).toBe(0);
    const last = await openPiTui(place, "--continue");
    await last.sees(/The cast “a hut” waits for you: \/materia continue/);
  });

  it("[X37, X52, X54] a detached cast goes on without Pi as hard as in it, and all its agent does is seen from another", async () => {
    const held = Promise.withResolvers<void>();
    const place = await newPiPlace(
      {},
      { hang: "after text" },
      { call: { name: "bash", arguments: { command: "echo behind your back" } } },
      { text: "Built behind your back.", until: held.promise },
    );
    put(place.agentDir, { "extensions/gate.ts": 'export default (pi) => pi.on("tool_call", () => undefined);' });
    const pi = await openPiTui(place);
    pi.type(SHIFT_TAB);
    await pi.sees(/plain • medium/);
    await pi.send("/materia link Build -- a hut");
    await pi.sees(/» thinking aloud/);
    const asked = place.model.asked();
    pi.type(KEYS.ctrlD);
    await pi.sees(/its tools are not guarded there: gate\.ts is not loaded/, /→ Detach/);
    pi.type(KEYS.enter);
    expect(await pi.exited).toBe(0);
    await asked;
    const other = await openPiTui(place);
    await other.sees(/The cast “a hut” runs in another process: \/materia watch/);
    await other.send("/materia watch");
    await other.sees(/running {2}Build/, /✓ bash echo behind your back/, /another process runs it/);
    expect(lastAsked(place.model).thinking).toBe("medium");
    other.type(ALT_W);
    await other.sees(/▸ Build \(Socket-1\), visit 1/, /\$ echo behind your back/);
    held.resolve();
    await other.sees(/■ Build/, /Built behind your back\./);
    other.type(KEYS.escape);
    await other.sees(/✓ completed {2}Build/, /ran 1 command/);
    expect(outcomes(place)).toEqual(["completed"]);
  });

  it("[X44] the way back from an opened visit stays on the screen, also where other casts are named", async () => {
    const { pi } = await open({ text: "Plan A" });
    await pi.send("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waiting for you/);
    await pi.send("/materia open 1");
    const opened = await pi.sees(/This is a copy of Interactive-Plan/, /“plan it” waits for you/);
    expect(opened).toContain("/resume");
  });

  it("[X52] a detached cast keeps the session's model for agents that name none, also beside one that does", async () => {
    const materia = { One: { prompt: "One.", model: "stand-in/plain" }, Two: { prompt: "Two." } };
    const place = await newPiPlace(userConfig({ materia }), STUCK, { text: "one" }, { text: "two" });
    const pi = await openPiTui(place, "--model", "stand-in/clever");
    await pi.send("/materia link One Two -- a hut");
    await pi.sees(/» thinking aloud/);
    await pi.send("/materia detach");
    await pi.sees(/✓ completed {2}One → Two/);
    expect(lastAsked(place.model)).toMatchObject({ model: "clever" });
  });

  it("[X60, X61] /materia detach stays in Pi, which says when the cast has ended", async () => {
    const held = Promise.withResolvers<void>();
    const { place, pi } = await open(STUCK, { text: "Built behind your back.", until: held.promise });
    await pi.send("/materia link Build -- a hut");
    await pi.sees(/» thinking aloud/);
    const asked = place.model.asked();
    await pi.send("/materia detach");
    await pi.sees(/The cast continues in process \d+: \/materia watch/);
    await asked;
    held.resolve();
    await pi.sees(/✓ completed {2}Build/, /Built behind your back\./, /✓ materia · completed: a hut/);
    expect(pi.view()).not.toContain("The cast is paused");
  });
});

const FAILING: ServerReply = { status: 503, message: "the model is overloaded" };
const STUCK: ServerReply = { hang: "after text" };
const CTRL_U = "\u0015";
const SHIFT_TAB = "\u001b[Z";
const ALT_W = "\u001bw";

function outcomes({ cwd }: PiPlace): readonly string[] {
  return castsIn(cwd).map((castId) => {
    const last = journalOf(cwd, castId).at(-1);
    return last?.type === "cast_ended" ? last.outcome : (last?.type ?? "");
  });
}

/** Goes down a list to this, and takes it. */
async function choose(pi: PiTui, wanted: RegExp): Promise<void> {
  for (let view = pi.view(); !wanted.test(view);) {
    pi.type(KEYS.down);
    const before = view;
    view = await pi.until("the next choice", (now) => now !== before);
  }
  pi.type(KEYS.enter);
}

async function clear(pi: PiTui): Promise<void> {
  pi.type(KEYS.ctrlC);
  await pi.until("an empty editor", (view) => /─\n\s*\n─/.test(view));
}
