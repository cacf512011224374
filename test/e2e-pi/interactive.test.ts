import { describe, expect, it } from "vitest";
import { castsIn, journalOf } from "../harness/cli.ts";
import type { ServerReply } from "../harness/model-server.ts";
import { newPiPlace, userConfig, type PiPlace } from "../harness/pi-place.ts";
import { startPi, type PiRpc } from "../harness/pi-rpc.ts";
import { all, lastAsked, notice, result, settingsOf, settled, status, streaming, widget } from "../harness/pi-seen.ts";

const PLAN = JSON.stringify({ workItems: [{ title: "use sqlite", context: "" }] });

/** Plans with the person, with another model, tools and thinking level than the person's own. */
const CONSULT = {
  materia: {
    Consult: {
      prompt: "You consult.",
      tools: "readOnly",
      generator: true,
      interactive: true,
      model: "stand-in/clever",
      thinking: "high",
    },
  },
};

const waits = status(/waits for you/);
const USER = { model: "plain", thinking: "low", tools: ["bash", "edit", "read", "write"] };

async function open(...replies: readonly ServerReply[]): Promise<{ readonly place: PiPlace; readonly pi: PiRpc }> {
  const place = await newPiPlace(userConfig(CONSULT), { text: "hello to you" }, ...replies);
  const pi = startPi(place);
  await pi.type("the user's own question");
  await pi.until("the answer", settled);
  pi.mark();
  return { place, pi };
}

/** The user's next question, and what the model is asked with it. */
async function askAgain({ place, pi }: { readonly place: PiPlace; readonly pi: PiRpc }) {
  place.model.say({ text: "gladly" });
  pi.mark();
  await pi.type("another question");
  await pi.until("the answer", settled);
  return lastAsked(place.model);
}

describe("planning together over RPC", () => {
  it("[X17, X20, X22] plain words refine, /materia continue finishes, and the session is as it was", async () => {
    const { place, pi } = await open({ text: "Which database?" }, { text: PLAN }, { text: "made" });
    await pi.type("/materia link Consult Build -- keep the notes");
    await pi.until("the question", waits);
    expect(await pi.until("the hint", widget(/waiting for you/))).toContain("/materia continue");
    expect(lastAsked(place.model)).toMatchObject({
      model: "clever",
      thinking: "high",
      tools: ["find", "grep", "ls", "read"],
      system: expect.stringContaining("You consult."),
      said: [expect.stringContaining("keep the notes")],
    });
    expect(await settingsOf(pi)).toEqual({ model: "plain", thinking: "low" });

    pi.mark();
    await pi.type("sqlite, and I am fine with that, go ahead");
    await pi.until("the plan", waits);
    expect(lastAsked(place.model)).toMatchObject({
      model: "clever",
      said: [
        expect.stringContaining("keep the notes"),
        "assistant: Which database?",
        expect.stringContaining("go ahead"),
      ],
    });
    // However it sounds, only the command finishes.
    expect(all(pi, result)).toEqual([]);

    await pi.type("/materia continue");
    const end = await pi.until("the result", result);
    expect(end).toContain("Result: made");
    expect(lastAsked(place.model).said.join()).toContain("use sqlite");
    const asked = await askAgain({ place, pi });
    expect(asked).toMatchObject(USER);
    expect(asked.said).toEqual([
      "user: the user's own question",
      "assistant: hello to you",
      expect.stringMatching(/^user: A materia cast completed/),
      "user: another question",
    ]);
  });

  it("[X17] what is said while the agent still answers is its next message, not part of this answer", async () => {
    const held = Promise.withResolvers<void>();
    const { place, pi } = await open({ text: "Which of the two?", until: held.promise }, { text: PLAN });
    await pi.type("/materia link Consult Build -- keep the notes");
    await pi.until("the first words", streaming);
    await pi.ask({ type: "prompt", message: "the second one", streamingBehavior: "steer" });
    held.resolve();
    await pi.until("the plan", () => (place.model.requests.length === 3 ? all(pi, waits)[1] : undefined));
    expect(lastAsked(place.model).said).toEqual([
      expect.stringContaining("keep the notes"),
      "assistant: Which of the two?",
      expect.stringContaining("the second one"),
    ]);
  });

  it("[X5, X20] an abort in the middle of a turn puts everything back", async () => {
    const { place, pi } = await open({ hang: "after text" });
    await pi.type("/materia link Consult Build -- keep the notes");
    await pi.until("the first words", streaming);
    await pi.type("/materia abort");
    expect(await pi.until("the result", result)).toMatch(/^A materia cast aborted/);
    const asked = await askAgain({ place, pi });
    expect(asked).toMatchObject(USER);
    expect(asked.said.join()).not.toMatch(/You consult|thinking aloud|Which/);
  });

  it("[X5, X20] Pi's own abort ends the cast as well", async () => {
    const { place, pi } = await open({ hang: "after text" });
    await pi.type("/materia link Consult Build -- keep the notes");
    await pi.until("the first words", streaming);
    await pi.ask({ type: "abort" });
    expect(await pi.until("the result", result)).toMatch(/^A materia cast aborted/);
    expect(await askAgain({ place, pi })).toMatchObject(USER);
  });

  it("[X20] a provider that fails in the user's session fails the cast and leaves the session alone", async () => {
    const { place, pi } = await open({ status: 401, message: "your key has expired" });
    await pi.type("/materia link Consult Build -- keep the notes");
    expect(await pi.until("the result", result)).toContain("your key has expired");
    const asked = await askAgain({ place, pi });
    expect(asked).toMatchObject(USER);
    expect(asked.said[0]).toBe("user: the user's own question");
  });

  it("[X6, X20] a new session in the middle of a turn pauses the cast; the next one is the user's", async () => {
    const { place, pi } = await open({ hang: "after text" });
    await pi.type("/materia link Consult Build -- keep the notes");
    await pi.until("the first words", streaming);
    await pi.ask({ type: "new_session" });
    expect(await settingsOf(pi)).toEqual({ model: "plain", thinking: "low" });
    expect((await askAgain({ place, pi })).said).toEqual(["user: another question"]);
    expect(lastAsked(place.model)).toMatchObject(USER);
    const [castId = ""] = castsIn(place.cwd);
    expect(journalOf(place.cwd, castId).at(-1)).toMatchObject({ type: "visit_started" });
    expect(pi.records.filter((record) => record.type === "extension_error")).toEqual([]);
  });

  it("[X5, X17] abort of a cast that waits lets the session go on", async () => {
    const { place, pi } = await open({ text: "Which database?" });
    await pi.type("/materia link Consult Build -- keep the notes");
    await pi.until("the question", waits);
    await pi.type("/materia abort");
    await pi.until("a word about it", notice(/abort/));
    expect((await askAgain({ place, pi })).said.at(-1)).toBe("user: another question");
  });
});
