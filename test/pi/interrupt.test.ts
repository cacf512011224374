import { describe, expect, it } from "vitest";
import type { ModelReply } from "../harness/pi-model.ts";
import { eventTypes, openPiSession, type PiSession, type PiSetting } from "../harness/pi-session.ts";

const ESCAPE = "\u001b";
const CTRL_C = "\u0003";

/** A cast whose agent does not answer, in a terminal. */
async function hanging(setting: PiSetting, ...replies: readonly ModelReply[]): Promise<PiSession> {
  const pi = await openPiSession({ mode: "tui", ...setting, replies: [{ hang: true }, ...replies] });
  const asked = pi.asked();
  await pi.type("/materia link Build -- make it");
  await asked;
  return pi;
}

describe("[X35] Esc", () => {
  it.each([ESCAPE, "\u001b[27u"])("interrupts, and the agent goes on with all that was before", async (key) => {
    const pi = await hanging({ select: () => "Continue" }, "built");
    expect(pi.press(key)).toEqual({ consume: true });
    expect(await pi.sees(/^select/)).toContain("Interrupted: Build.");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
    const [first, second] = pi.requests;
    expect(second?.messages[0]).toBe(first?.messages[0]);
    expect(second?.messages.at(-1)).toMatch(/^u: .*has interrupted you.*Go on/);
    expect(await eventTypes(pi.cwd)).not.toContain("cast_resumed");
  });

  it("lets the person say something to the agent", async () => {
    const pi = await hanging({ select: (title) => say(title), input: () => "with a door" }, "built");
    pi.press(ESCAPE);
    expect(await pi.sees(/^info: To Build/)).toContain("“with a door”");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: with a door");
  });

  it.each<[choice: string | undefined, last: string]>([
    ["Pause: continue later with /materia recast", "visit_started"],
    ["Abort", "cast_ended"],
  ])("%s", async (choice, last) => {
    const pi = await hanging({ select: () => choice }, "built later");
    pi.press(ESCAPE);
    await pi.sees(choice === "Abort" ? /^materia-result: A materia cast aborted/ : /^info: The cast is paused/);
    expect((await eventTypes(pi.cwd)).at(-1)).toBe(last);
    await pi.type("/materia recast");
    expect(await pi.sees(/^materia-result: A materia cast completed/)).toContain("built later");
  });

  it("interrupts planning too, and no word of the person reaches their own assistant", async () => {
    const pi = await openPiSession({
      mode: "tui",
      replies: [{ hang: true }, "Plan B"],
      select: (title) => say(title),
      input: () => "of stone",
    });
    const asked = pi.asked();
    await pi.type("/materia link Interactive-Plan Build -- plan it");
    await asked;
    await pi.session.abort();
    await pi.sees(/waits for you/);
    expect(pi.requests).toHaveLength(2);
    expect(pi.requests.at(-1)?.system).toBe(pi.requests[0]?.system);
    expect(pi.requests.at(-1)?.messages.at(-1)).toContain("of stone");
  });

  it("interrupts also while something is typed, but not in a command for the shell, nor after the end", async () => {
    const pi = await hanging({ editorText: "half a sen", select: () => "Abort" });
    expect(pi.press(ESCAPE)).toEqual({ consume: true });
    await pi.sees(/^materia-result/);
    expect(pi.press(ESCAPE)).toBeUndefined();
    const other = await hanging({ editorText: "!ls" });
    expect(other.press(ESCAPE)).toBeUndefined();
    await other.type("/materia abort");
  });

  it("[X58] in its own question leaves all as it was: the agent goes on", async () => {
    const pi = await hanging({ select: () => undefined }, "built");
    pi.press(ESCAPE);
    expect(await pi.sees(/^select/)).toContain("Esc: the work goes on");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
  });
});

describe("[X6] leaving in the terminal", () => {
  it.each<[choice: string | undefined, last: string | undefined]>([
    ["Pause: continue later with /materia recast", "visit_started"],
    ["Abort", "cast_ended"],
  ])("%s", async (choice, last) => {
    const pi = await hanging({ select: () => choice });
    const switched = await before(pi);
    expect(await pi.sees(/^select/)).toContain("What should happen to it?");
    expect(switched).toBeUndefined();
    expect((await eventTypes(pi.cwd)).at(-1)).toBe(last);
  });

  it.each(["Stay", undefined])("%s: the cast goes on, and the session stays", async (choice) => {
    const pi = await hanging({ select: () => choice });
    expect(await before(pi)).toEqual({ cancel: true });
    expect((await eventTypes(pi.cwd)).at(-1)).toBe("visit_started");
    await pi.type("/materia abort");
  });

  it("[X58] a second Ctrl+C pauses the cast and leaves, whether the question is open or not yet", async () => {
    const pi = await hanging({ select: () => "Stay" });
    expect(pi.press(CTRL_C)).toEqual({ consume: true });
    expect(pi.press(CTRL_C)).toEqual({ consume: true });
    await pi.sees(/^info: The cast is paused/);
    expect(pi.shown().filter((text) => text.startsWith("select")).length).toBeLessThan(2);
    expect((await eventTypes(pi.cwd)).at(-1)).toBe("visit_started");
  });

  it("asks in the middle of planning too", async () => {
    const pi = await openPiSession({ mode: "tui", replies: [{ hang: true }], select: () => "Stay" });
    const asked = pi.asked();
    await pi.type("/materia link Interactive-Plan -- plan it");
    await asked;
    expect(pi.press("\u0004")).toEqual({ consume: true });
    expect(await pi.sees(/^select/)).toContain("What should happen to it?");
    await pi.type("/materia abort");
  });

  it.each(["\u0004", "\u0003"])("a key that would leave Pi asks first", async (key) => {
    const pi = await hanging({ select: () => "Stay" });
    expect(pi.press(key)).toEqual({ consume: true });
    expect(await pi.sees(/^select/)).toContain("What should happen to it?");
    await pi.type("/materia abort");
  });
});

describe("[X53] before a cast is detached", () => {
  it("is said what it needs of this Pi: then it cannot be", async () => {
    const pi = await hanging({ select: () => "Stay" });
    await before(pi);
    expect(await pi.sees(/^select/)).toMatch(/It cannot be detached: .*scripted\/first/);
    await pi.type("/materia abort");
  });
});

describe("[X61] without leaving", () => {
  it("/reload asks first, and staying leaves the cast as it was", async () => {
    const pi = await hanging({ select: () => "Stay", editorText: "/reload" });
    expect(pi.press("\r")).toEqual({ consume: true });
    await pi.sees(/^editor: $/);
    expect(await pi.sees(/^select/)).toContain("What should happen to it?");
    expect((await eventTypes(pi.cwd)).at(-1)).toBe("visit_started");
    await pi.type("/materia abort");
  });

  it("/materia detach refuses without a cast, and with one that needs this Pi, which goes on", async () => {
    const pi = await hanging({});
    await pi.type("/materia detach");
    expect(await pi.sees(/^error/)).toMatch(/it cannot be detached: .*scripted\/first/);
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
    await pi.type("/materia detach");
    expect(await pi.sees(/^error/)).toContain("no cast runs in this session");
  });
});

function say(title: string): string | undefined {
  const [, who] = /Interrupted: (.*)\. How/.exec(title) ?? [];
  return who && `Say something to ${who}`;
}

function before({ session }: PiSession) {
  return session.extensionRunner.emit({ type: "session_before_switch", reason: "new" });
}
