import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openPiSession, project, type PiSession } from "../harness/pi-session.ts";

/** Two open sessions of a project, and a cast that waits in it. The first has greeted: it follows the casts. */
async function twoSessions(config: object = {}): Promise<{ readonly here: PiSession; readonly other: PiSession }> {
  const cwd = project(config);
  const first = await openPiSession({ cwd, confirm: () => true, replies: ["Plan A"] });
  await first.type("/materia link Interactive-Plan -- plan it");
  await first.sees(/waits for you/);
  await first.leave("quit");
  const here = await openPiSession({ cwd, mode: "tui", confirm: () => true });
  await here.sees(/^info: .*“plan it” waits for you/);
  return { here, other: await openPiSession({ cwd, confirm: () => true }) };
}

const news = (pi: PiSession): readonly string[] =>
  pi.shown().filter((text) => /^materia-visit: . (?:completed|failed|waiting|interrupted)/.test(text));

describe("[X60] a cast that another process runs", () => {
  it("says in an open Pi that it ended: card, status line, title; and no model reads it", async () => {
    const { here, other } = await twoSessions();
    other.reply("built");
    await other.type("/materia link Build -- make it");
    const card = await here.sees(/^materia-visit: ✓ completed/);
    expect(card).toMatch(/Request: make it\n.*tokens/);
    expect(card).toMatch(/\/materia show \S+ {2}the story/);
    await here.sees(/^status: ✓ materia · completed: make it$/);
    await here.sees(/^title: materia: completed: make it - /);
    here.reply("hello");
    await here.type("hello");
    await here.sees(/^status: $/);
    expect(here.requests.at(-1)?.messages.join()).not.toContain("make it");
    expect(news(here)).toHaveLength(1);
  });

  it("says that it waits, and each later stop once", async () => {
    const { here, other } = await twoSessions();
    other.reply("Plan B", JSON.stringify({ workItems: [] }));
    await other.type("/materia link Interactive-Plan -- plan another");
    expect(await here.sees(/^materia-visit: ‖ waiting/)).toMatch(/\/materia continue \S+ {2}see it again and decide/);
    await here.sees(/^status: ‖ materia · waiting: plan another$/);
    await other.type("/materia continue");
    await here.sees(/^materia-visit: ✓ completed/);
    expect(news(here)).toHaveLength(2);
  });

  it("shows a plan that waits as a list, and takes the news back when the cast goes on", async () => {
    const { here, other } = await twoSessions();
    const workItems = [{ title: "dig a hole", context: "a deep one" }];
    other.reply(JSON.stringify({ workItems }), { hang: true });
    await other.type("/materia link Interactive-Plan Build -- plan another");
    const card = await here.sees(/^materia-visit: ‖ waiting/);
    expect(card).toContain("1. **dig a hole**");
    expect(card).not.toContain("workItems");
    await here.sees(/^status: ‖ materia · waiting: plan another$/);
    await other.type("/materia continue");
    await here.sees(/^status: $/);
    await other.type("/materia abort");
  });

  it("[X37] is silent while another process takes the cast over", async () => {
    const { here, other } = await twoSessions();
    other.reply({ hang: true });
    await other.type("/materia link Build -- make it");
    await other.leave("new");
    const next = await openPiSession({ cwd: other.cwd, replies: ["built"], confirm: () => true });
    await next.type("/materia recast");
    await here.sees(/^materia-visit: ✓ completed/);
    expect(here.shown().filter((text) => text.includes("interrupted"))).toEqual([]);
  });

  it("says that it lost its process, when none takes over", async () => {
    const { here, other } = await twoSessions();
    other.reply({ hang: true });
    const asked = other.asked();
    await other.type("/materia link Build -- make it");
    await asked;
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await other.leave("new");
    while (news(here).length === 0) {
      vi.advanceTimersByTime(10_000);
      await setImmediate();
    }
    expect(news(here)[0]).toMatch(/^materia-visit: ╌ interrupted[^]*go on where it stopped/);
  });

  it("asks nothing here any more about a cast that waited here and was answered elsewhere", async () => {
    const { here, other } = await twoSessions();
    here.reply("Plan C", "hello");
    await here.type("/materia link Interactive-Plan -- plan a third");
    await here.sees(/^status: ‖ materia waits for you/);
    other.reply("Plan D");
    await other.type("/materia continue shorter");
    await here.sees(/^materia-visit: ‖ waiting/);
    expect(here.shown().findLast((text) => text.startsWith("widget:"))).toBe("widget: ");
    await here.type("who are you?");
    expect(here.requests.at(-1)?.messages.at(-1)).toBe("u: who are you?");
  });

  it("is silent about casts of the session itself, and without the bell where the configuration says so", async () => {
    const { here, other } = await twoSessions({ notify: false });
    here.reply("mine");
    await here.type("/materia link Build -- mine");
    await here.sees(/^materia-result/);
    other.reply("theirs");
    await other.type("/materia link Build -- theirs");
    expect(await here.sees(/^materia-visit: ✓ completed/)).toContain("Request: theirs");
    expect(news(here)).toHaveLength(1);
    expect(here.shown().filter((text) => text.startsWith("title: materia"))).toEqual([]);
  });
});

describe("the inbox", () => {
  it("[YI6] the status line says how many casts wait, and the list has the command that answers", async () => {
    const { here, other } = await twoSessions();
    await here.sees(/^status: \[materia inbox: 1\]$/);
    await here.type("/materia inbox");
    const list = await here.sees(/^materia-answer: [^]*plan it/);
    expect(list).toMatch(/\/materia continue \d{8}-/);
    other.reply(JSON.stringify({ workItems: [] }));
    await other.type("/materia continue");
    await here.sees(/^status: $/);
  });
});
