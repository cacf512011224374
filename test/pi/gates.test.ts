import { describe, expect, it } from "vitest";
import { eventTypes, openPiSession, type PiSetting } from "../harness/pi-session.ts";

/** A cast of Build and Approve, up to the question. */
async function asked(setting: PiSetting = {}) {
  const pi = await openPiSession({ replies: ["built", "answered by the user's own agent"], ...setting });
  await pi.type("/materia link Build Approve -- add a door");
  expect(await pi.sees(/^select/)).toContain("May this go on?");
  return pi;
}

const judged = async (cwd: string) =>
  (await eventTypes(cwd)).filter((type) => /^(person|cast_waiting|cast_ended)/.test(type));

describe("a person's gate in Pi", () => {
  it("[Q8] a yes in the dialog goes on", async () => {
    const pi = await asked({ select: () => "Yes" });
    await pi.sees(/^materia-result/);
    expect(await judged(pi.cwd)).toEqual(["cast_waiting", "person_judged", "cast_ended"]);
    expect(pi.errors).toEqual([]);
  });

  it("[Q8] a no asks why, and the reason is the outcome's", async () => {
    const pi = await asked({ select: () => "No, and say why", input: () => "it squeaks" });
    expect(await pi.sees(/^materia-result/)).toContain("it squeaks");
    expect(pi.shown().some((text) => text.startsWith("input: Why not?"))).toBe(true);
  });

  it("[X58] a reason that is not given leads back to the question", async () => {
    const choices = ["No, and say why", "Yes"];
    const pi = await asked({ mode: "tui", select: () => choices.shift(), input: () => undefined });
    expect(await pi.sees(/^input/)).toBe("input: Why not?\nEsc: back");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
  });

  it("[Q8] put off, what is typed goes to the user's own agent, and a command answers", async () => {
    const pi = await asked();
    await pi.sees(/waits for you/);
    await pi.type("what would you say?");
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: what would you say?");
    expect(await judged(pi.cwd)).toEqual(["cast_waiting"]);
    await pi.type("/materia continue --reject too heavy");
    expect(await pi.sees(/^materia-result/)).toContain("too heavy");
    expect(await judged(pi.cwd)).toEqual(["cast_waiting", "person_judged", "cast_ended"]);
  });
});

describe("[X56] a bare continue of a gate", () => {
  it("shows question, report and request in another session, and goes on only after a yes", async () => {
    const first = await asked();
    await first.leave("quit");
    const choices = ["Later", "Yes"];
    const pi = await openPiSession({ cwd: first.cwd, mode: "tui", select: () => choices.shift() });
    await pi.type("/materia continue");
    const shown = await pi.sees(/^materia-answer/);
    for (const part of ["May this go on?", "built", "Request: add a door"]) expect(shown).toContain(part);
    expect(await judged(pi.cwd)).toEqual(["cast_waiting"]);
    await pi.type("/materia continue");
    await pi.sees(/^materia-result/);
    expect(await judged(pi.cwd)).toEqual(["cast_waiting", "person_judged", "cast_ended"]);
  });

  it("asks again in the session that has put it off", async () => {
    const choices = ["Later", "Later", "Yes"];
    const pi = await asked({ mode: "tui", select: () => choices.shift() });
    await pi.type("/materia continue");
    expect(await judged(pi.cwd)).toEqual(["cast_waiting"]);
    await pi.type("/materia continue");
    await pi.sees(/^materia-result/);
    expect(await judged(pi.cwd)).toEqual(["cast_waiting", "person_judged", "cast_ended"]);
  });
});
