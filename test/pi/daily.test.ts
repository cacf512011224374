import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { beforeAll, describe, expect, it } from "vitest";
import { activityLines, IDLE_ACTIVITY, applyProgress } from "../../src/apps/pi/screen/agent-activity.ts";
import { desktopNotification } from "../../src/apps/pi/screen/screen.ts";
import { openWidget } from "../../src/apps/pi/screen/widget.ts";
import { setPiTui } from "../../src/apps/pi/session/user-session.ts";
import { line, lineText } from "../../src/core/view/line.ts";
import { plainProviderError } from "../../src/core/cast/provider-refusal.ts";
import { openPiSession, project } from "../harness/pi-session.ts";

beforeAll(() => setPiTui(tui));

describe("[X40] money", () => {
  it("of the agent that works: its model, its thinking level and the budget, before its reply is whole", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build --budget 2M --cost 5 -- make it");
    await asked;
    expect(await pi.sees(/^widget: [^]*first · medium/)).toMatch(/0 of 2 M tokens · \$0\.00 of \$5\.00/);
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
  });

  it("is part of Pi's own figures of the session", async () => {
    const pi = await openPiSession({ replies: ["built"] });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    const { tokens } = pi.session.getSessionStats();
    expect(tokens.total).toBeGreaterThan(0);
  });
});

describe("[X39] the widget", () => {
  it.each([
    [20, 6],
    [30, 10],
    [50, 16],
    [6, 3],
  ])("in %i rows takes at most %i", (rows, most) => {
    const lines = Array.from({ length: 40 }, (_, at) => line(`line ${at}`));
    const shown = drawnIn(rows, lines);
    expect(shown).toHaveLength(most);
    expect(shown[0]).toContain("line 0");
    expect(shown.at(-1)).toContain("line 39");
  });
});

describe("[X41] calling the person", () => {
  it("names in the title what became of the cast, until they type", async () => {
    const pi = await openPiSession({ mode: "tui", replies: ["built", "hello"] });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/^title: materia/)).toMatch(/^title: materia: completed - /);
    await pi.type("hello");
    expect(await pi.sees(/^title: π/)).toMatch(/^title: π - /);
  });

  it("is silent where the configuration says so", async () => {
    const pi = await openPiSession({
      cwd: project({ notify: false }),
      confirm: () => true,
      mode: "tui",
      replies: ["built"],
    });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    expect(pi.shown().filter((text) => text.startsWith("title: materia"))).toEqual([]);
  });
});

describe("[X41] the desktop", () => {
  it.each<[what: string, env: NodeJS.ProcessEnv, sequence: string]>([
    ["iTerm", { TERM_PROGRAM: "iTerm.app" }, "\u001b]9;it waits, now\u0007"],
    ["foot", { TERM: "foot-extra" }, "\u001b]777;notify;pi-materia;it waits, now\u0007"],
    ["GNOME", { VTE_VERSION: "7200" }, "\u001b]777;notify;pi-materia;it waits, now\u0007"],
    ["kitty", { TERM: "xterm-kitty" }, "\u001b]99;;it waits, now\u001b\\"],
    ["tmux", { TERM_PROGRAM: "iTerm.app", TMUX: "/tmp/tmux" }, ""],
    ["an unknown terminal", { TERM: "xterm-256color" }, ""],
  ])("is reported through %s", (_what, env, sequence) => {
    expect(desktopNotification("it waits; now\n", env)).toBe(sequence);
  });
});

describe("[X42] a cast that was resumed", () => {
  it("leaves only its last end in the conversation", async () => {
    const pi = await openPiSession({ replies: [{ error: "400 no" }, { error: "400 no" }, "built", "gladly"] });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    await pi.type("/materia recast");
    await pi.sees(/^materia-result/);
    await pi.type("/materia recast");
    await pi.sees(/^materia-result/);
    await pi.type("thank you");
    const said = pi.requests.at(-1)?.messages ?? [];
    expect(said.filter((each) => each.includes("A materia cast"))).toEqual([expect.stringContaining("completed")]);
  });

  it("is not aborted from another Pi that does not name it", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    const other = await openPiSession({ cwd: pi.cwd });
    await other.type("/materia abort");
    expect(await other.sees(/^error/)).toMatch(/process \d+ runs this cast[^]*"\/materia abort \d{8}-/);
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
  });
});

describe("[X9] a request that is tried again", () => {
  it.each([
    ["overloaded", "overloaded"],
    ['529: {"type":"error","message":"Overloaded, try later"}', "529: Overloaded, try later"],
  ])("is shown with its number and the time left: %s", (raw, said) => {
    const error = plainProviderError(raw);
    const retrying = applyProgress(IDLE_ACTIVITY, { kind: "retrying", attempt: 2, delayMs: 60_000, error });
    const [shown = ""] = activityLines(retrying, 80, false).map(lineText);
    expect(shown).toMatch(/↻ retry 2 in (?:60|59) s: /);
    expect(shown.endsWith(`: ${said}`)).toBe(true);
  });
});

function drawnIn(rows: number, lines: readonly ReturnType<typeof line>[]): readonly string[] {
  let shown: readonly string[] = [];
  const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => text } as unknown as Theme;
  const setWidget = (_key: string, content: unknown): void => {
    if (typeof content === "function")
      shown = content({ requestRender: () => undefined, terminal: { rows } }, theme).render(80);
  };
  const ctx = { mode: "tui", ui: { setWidget, setStatus: () => undefined } } as unknown as ExtensionContext;
  openWidget(ctx, { lines: () => lines, status: () => "" }).close();
  return shown;
}
