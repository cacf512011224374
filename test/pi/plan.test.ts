import { describe, expect, it } from "vitest";
import { journalOf, castsIn } from "../harness/cli.ts";
import { openPiSession, type PiSession, type PiSetting } from "../harness/pi-session.ts";

const ITEMS = Array.from({ length: 5 }, (_, at) => ({ title: `step ${at + 1}`, context: `why ${at + 1}` }));
const PLAN = `Here it is.\n\`\`\`json\n${JSON.stringify({ workItems: ITEMS })}\n\`\`\``;

/** A plan that waits, seen from a session that has shown nothing of it. */
async function waitingElsewhere(setting: PiSetting): Promise<PiSession> {
  const first = await openPiSession({ replies: [PLAN] });
  await first.type("/materia link Interactive-Plan Build -- plan it");
  await first.sees(/waits for you/);
  await first.leave("quit");
  return openPiSession({ cwd: first.cwd, mode: "tui", ...setting });
}

describe("[X38] a bare continue", () => {
  it("shows the whole plan as a list, and approves it only when the person says so", async () => {
    const pi = await waitingElsewhere({ replies: ["built"], select: () => "Approve: continue with it" });
    await pi.type("/materia continue");
    const shown = await pi.sees(/^materia-answer/);
    for (const { title, context } of ITEMS) {
      expect(shown).toContain(title);
      expect(shown).toContain(context);
    }
    expect(shown).not.toContain("workItems");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
    expect(pi.requests[0]?.messages.join()).toContain("step 5");
  });

  it("[X58] put off changes nothing, as the question says", async () => {
    const pi = await waitingElsewhere({});
    await pi.type("/materia continue");
    expect(await pi.sees(/^select: What do you decide/)).toContain("\nEsc: later");
    expect(types(pi).at(-1)).toBe("cast_waiting");
  });

  it("takes an edited plan as it was left, without another turn", async () => {
    const workItems = [{ title: "one step only", context: "" }];
    const pi = await waitingElsewhere({
      replies: ["built"],
      select: () => "Edit it",
      editor: () => JSON.stringify({ workItems }),
    });
    await pi.type("/materia continue");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
    expect(pi.requests).toHaveLength(1);
    expect(pi.requests[0]?.messages.join()).toContain("one step only");
    expect(pi.requests[0]?.messages.join()).not.toContain("step 5");
  });

  it("keeps what was edited where it is no plan yet", async () => {
    const drafts = [
      '{"workItems":[{"title":"one step","context":""}]',
      '{"workItems":[{"title":"one step","context":""}]}',
    ];
    const pi = await waitingElsewhere({ replies: ["built"], select: () => "Edit it", editor: () => drafts.shift() });
    await pi.type("/materia continue");
    await pi.sees(/^materia-result/);
    const edited = pi.shown().filter((text) => text.startsWith("edited"));
    expect(edited).toEqual([
      expect.stringContaining("step 5"),
      `edited: {"workItems":[{"title":"one step","context":""}]`,
    ]);
    expect(pi.requests[0]?.messages.join()).toContain("one step");
  });

  it("refines with words, and aborts", async () => {
    const choices = ["Refine: say what should change", "Abort the cast"];
    const pi = await waitingElsewhere({ replies: [PLAN], select: () => choices.shift(), input: () => "fewer steps" });
    await pi.type("/materia continue");
    await pi.sees(/^status: .*waits for you/);
    expect(pi.requests[0]?.messages.at(-1)).toContain("fewer steps");
    await pi.type("/materia continue");
    await pi.sees(/is aborted/);
    expect(types(pi).at(-1)).toBe("cast_ended");
  });
});

function types({ cwd }: PiSession): readonly string[] {
  const [castId = ""] = castsIn(cwd);
  return journalOf(cwd, castId).map(({ type }) => type);
}
