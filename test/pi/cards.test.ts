import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Theme } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";
import { drawCard, resetCards, openNextCard } from "../../src/apps/pi/screen/card.ts";
import { createItemLogs } from "../../src/apps/pi/screen/result-card.ts";
import type { CastStep } from "../../src/core/cast/timeline.ts";
import { line } from "../../src/core/view/line.ts";
import { openPiSession, project, type PiSession } from "../harness/pi-session.ts";

const REWORK = {
  loadouts: {
    Rework: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Auto-Eval",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
            { when: "satisfied", to: "end" },
          ],
        },
      },
    },
  },
};

const WHO = ["-c", "user.name=a", "-c", "user.email=a@example.org"];

describe("[X10, X55] the card of a visit", () => {
  it("gives the reason of a verdict, and the verdict once", async () => {
    const verdict = (satisfied: boolean, context: string): string => JSON.stringify({ satisfied, context });
    const replies = ["one", verdict(false, "the door is missing"), "two", verdict(true, "")];
    const pi = await openPiSession({ cwd: project(REWORK), confirm: () => true, replies });
    await pi.type("/materia cast --loadout Rework a hut");
    await pi.sees(/^materia-result/);
    const [, refused = "", , passed = ""] = pi.shown().filter((text) => text.startsWith("materia-visit"));
    expect(refused.split("\n")[1]).toBe("    “the door is missing”  ✗ not satisfied → Socket-1 (Build), 1 of 2");
    expect(passed.split("\n")[1]).toBe("    ✓ satisfied → end");
  });

  it("[X10] ends a reason that is cut with its quotation mark", () => {
    const gives = { gives: true as const };
    const lines = [
      [
        { text: "“the door is missing, and so is the whole of the roof above it”", ...gives },
        { text: "  ✗ not satisfied" },
      ],
    ];
    expect(drawnAt(90, { lines }, false)).toContain("  ✗ not satisfied");
    expect(drawnAt(64, { lines }, false)).toContain("and so is the whole …”  ✗ not satisfied");
  });

  it("[Y7] says what became of the files, and opened names them", async () => {
    const cwd = project({});
    execFileSync("git", ["init", "-q"], { cwd });
    execFileSync("git", [...WHO, "commit", "-q", "--allow-empty", "-m", "begun"], { cwd });
    const replies = [{ call: "write", args: { path: "hut.txt", content: "a hut\n" } }, "built"];
    const pi = await openPiSession({ cwd, confirm: () => true, replies });
    await pi.type("/materia link Build -- a hut");
    await pi.sees(/^materia-result/);
    const [card] = visitData(pi);
    expect(drawnAt(100, card, false)).toMatch(/\n {5}built {2}changed 1 file, \+1 −0 {2}→ end/);
    expect(drawnAt(100, card, true)).toMatch(/changed 1 file, \+1 −0\n {7}hut\.txt/);
  });

  it("opened tells all of a long list", async () => {
    const workItems = Array.from({ length: 7 }, (_, index) => ({ title: `step ${index + 1}`, context: "" }));
    const pi = await openPiSession({ replies: [JSON.stringify({ workItems })] });
    await pi.type("/materia link Planner -- a hut");
    await pi.sees(/^materia-result/);
    const opened = drawnAt(100, visitData(pi).at(-1), true);
    expect(opened).toContain("7. step 7");
    expect(opened).not.toContain("more");
  });

  it("of an interactive visit has its number, its time and what was handed over, and opened its turns", async () => {
    const plan = JSON.stringify({ workItems: [{ title: "a door", context: "" }] });
    const pi = await openPiSession({ replies: ["Plan A", plan, "built"] });
    await pi.type("/materia link Interactive-Plan Build -- plan it");
    await pi.sees(/waits for you/);
    await pi.type("with a door");
    await pi.sees(/waits for you/);
    await pi.type("/materia continue");
    await pi.sees(/^materia-result/);
    const [card] = visitData(pi);
    expect(drawnAt(100, card, false)).toMatch(
      /^ {2}1 {2}Interactive-Plan \(Socket-1\) {2}[\d.:]+(?: s)? .*tokens · \$0\.00 · first\n {5}handed over 1 work item: a door {2}→ Socket-2 \(Build\)$/,
    );
    expect(drawnAt(100, card, true)).toMatch(/Plan A[^]*“with a door”[^]*approved by the person[^]*1\. a door/);
  });
});

describe("[X11] the card of a cast", () => {
  it("shows the request, and cuts nothing where the screen is narrow", async () => {
    const said = `${"many words ".repeat(20).trim()}\n  indented\n\t\ttabbed`;
    const pi = await openPiSession({ replies: [said] });
    await pi.type("/materia link Build -- a hut with a door");
    await pi.sees(/^materia-result/);
    const drawn = endCard(pi, 50);
    expect(drawn).toContain("Request: a hut with a door");
    expect(drawn).toMatch(/\n {3}indented *\n {7}tabbed *\n/);
    expect(drawn).not.toContain("…");
    expect(Math.max(...drawn.split("\n").map((row) => row.length))).toBeLessThanOrEqual(50);
    expect(endCard(pi, 50, true).replaceAll(/\n ?/g, "")).toContain(`${pi.cwd}/.pi/pi-materia/`);
  });
});

it("[X10, V16] says why the items of a parallel loop run one after another", async () => {
  const loop = { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" }, parallel: 2 };
  const sockets = {
    "Socket-1": { materia: "Planner", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  };
  const config = { loadouts: { Two: { entry: "Socket-1", sockets, loops: { items: loop } } } };
  const workItems = ["a door", "a roof"].map((title) => ({ title, context: "" }));
  const pi = await openPiSession({
    cwd: project(config),
    confirm: () => true,
    replies: [JSON.stringify({ workItems }), "one", "two"],
  });
  await pi.type("/materia cast --loadout Two a hut");
  expect(await pi.sees(/^materia-visit: *items run/)).toMatch(/one after another: .*git/);
});

it("[X14, T27] the bill before a cast names the model of the session", async () => {
  const pi = await openPiSession({ mode: "tui", replies: ["built"] });
  await pi.type("/materia link Build --budget 5k -- a hut");
  const bill = await pi.sees(/^info: Build/);
  expect(bill).toContain("models: scripted/first (Build)");
  expect(bill).toMatch(/budget .*5 k tokens/);
});

it("[X1] a note names commands as they are typed in Pi", async () => {
  const cwd = project(REWORK);
  const pi = await openPiSession({ cwd, confirm: () => true, replies: [{ error: "400 the key is wrong" }, "built"] });
  await pi.type("/materia cast --loadout Rework a hut");
  await pi.sees(/^materia-result/);
  const edited = structuredClone(REWORK);
  edited.loadouts.Rework.sockets["Socket-2"].edges.pop();
  writeFileSync(join(cwd, ".pi", "pi-materia.json"), JSON.stringify(edited));
  await pi.type("/materia recast");
  expect(await pi.sees(/^info: it goes on/)).toMatch(/"\/materia recast \S+ --edited"/);
});

describe("[X62] the card of the end names what comes next", () => {
  it("the patch, a link on, the same again and a test, each as a command that works here; with the models", async () => {
    const cwd = project({});
    execFileSync("git", ["init", "-q"], { cwd });
    execFileSync("git", [...WHO, "commit", "-q", "--allow-empty", "-m", "begun"], { cwd });
    const replies = [{ call: "write", args: { path: "hut.txt", content: "a hut\n" } }, "built", "built again"];
    const pi = await openPiSession({ cwd, confirm: () => true, replies });
    await pi.type("/materia link Build -- a hut");
    await pi.sees(/^materia-result/);
    const drawn = endCard(pi, 200);
    expect(drawn).toMatch(/\n *[\d.:]+(?: s)? · 1 visit .* · scripted\/\S+ *\n/);
    const [, id = ""] = /\/materia show (\S+)/.exec(drawn) ?? [];
    const commands = [...drawn.matchAll(/(\/materia .*?) {2}/g)].map(([, command = ""]) => command);
    expect(commands).toEqual([
      `/materia show ${id}`,
      `/materia diff ${id}`,
      `/materia link --from ${id} Chain-Context <target> -- <prompt>`,
      "/materia link Build -- a hut",
      `/materia record ${id}`,
    ]);
    await pi.type(`/materia diff ${id}`);
    expect(await pi.sees(/\+a hut/)).toContain("hut.txt");
    await pi.type(`/materia record ${id}`);
    await pi.sees(/tests\/\S+\.json/);
    await pi.type("/materia link Build -- a hut");
    await pi.sees(/^materia-result[^]*built again/);
  });

  it("names the cast that a link goes on from by its id, which stays true", async () => {
    const workItems = [{ title: "a tower", context: "" }];
    const pi = await openPiSession({ replies: ["built", JSON.stringify({ workItems }), "built on"] });
    await pi.type("/materia link Build -- a hut");
    const [, first = ""] = /\((\d{8}-\S+)\)/.exec(await pi.sees(/^materia-result/)) ?? [];
    await pi.type("/materia link --from last Chain-Context Build -- a tower");
    await pi.sees(/^materia-result/);
    expect(endCard(pi, 200)).toContain(`/materia link --from ${first} Chain-Context Build -- a tower  run it again`);
  });

  it("of one that failed only what continues it", async () => {
    const pi = await openPiSession({ replies: [{ error: "400 the key is wrong" }] });
    await pi.type("/materia link Build -- a hut");
    await pi.sees(/^materia-result/);
    expect(endCard(pi, 200)).not.toMatch(/record|diff|run it again/);
  });
});

describe("[X10, X55] what the agent did", () => {
  it("stands on the card: the commands and, opened, why a call failed, with the text as Markdown", async () => {
    const replies = [
      { call: "bash", args: { command: "echo fine" } },
      { call: "bash", args: { command: "echo oh no >&2; exit 3" } },
      "# Done\n\nThe **hut** stands.",
    ];
    const pi = await openPiSession({ replies });
    await pi.type("/materia link Build -- a hut");
    await pi.sees(/^materia-result/);
    const [card] = visitData(pi);
    expect(drawnAt(100, card, false)).toMatch(/\n {5}Done {2}ran 2 commands, 1 failed {2}→ end/);
    const opened = drawnAt(100, card, true);
    expect(opened).toMatch(/✓ \$ echo fine\n {5}✕ \$ echo oh no >&2; exit 3\n {7}oh no Command exited with code 3/);
    expect(opened).toMatch(/\n {5}Done *\n/);
    expect(opened).toContain("The hut stands.");
  });

  it("shows the words of a verdict, opened, as the Markdown they are", async () => {
    const context = "# Missing\n\n- the **door**\n- the roof";
    const replies = ["one", JSON.stringify({ satisfied: false, context }), "two", '{"satisfied":true}'];
    const pi = await openPiSession({ cwd: project(REWORK), confirm: () => true, replies });
    await pi.type("/materia cast --loadout Rework a hut");
    await pi.sees(/^materia-result/);
    const opened = drawnAt(100, visitData(pi)[1], true);
    expect(opened).toMatch(/✗ not satisfied\n {5}Missing *\n *\n {5}- the door *\n {5}- the roof *\n/);
    expect(opened).not.toContain("**");
  });

  it("has the width of the terminal: what was said gives way to where it went on", async () => {
    const pi = await openPiSession({ replies: ["many words ".repeat(30)] });
    await pi.type("/materia link Build -- a hut");
    await pi.sees(/^materia-result/);
    const [card] = visitData(pi);
    expect(drawnAt(60, card, false)).toMatch(/\n {5}(?:many words )+(?:many )?…\n {5}→ end: it has no edges$/);
    for (const width of [80, 200]) {
      const [, second = ""] = drawnAt(width, card, false).split("\n");
      expect(second).toMatch(/^ {5}many words .*(?:many|words) … {2}→ end: it has no edges$/);
      expect(second.length).toBeLessThanOrEqual(width);
      expect(second.length).toBeGreaterThan(width - 8);
    }
  });
});

describe("[X11] a cast that ends in a list", () => {
  const LIST = {
    loadouts: {
      Each: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Planner", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
          "Socket-3": {
            materia: "Auto-Eval",
            advance: { when: "satisfied" },
            edges: [
              { when: "not_satisfied", to: "Socket-2", maxTraversals: 1, then: "next" },
              { when: "satisfied", to: "Socket-2" },
            ],
          },
        },
        loops: { items: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
      },
    },
  };

  it("tells all items and what was made of each, not the last verdict", async () => {
    const workItems = ["walls", "roof"].map((title) => ({ title, context: "" }));
    const verdict = (satisfied: boolean): string => JSON.stringify({ satisfied, context: "the audit" });
    const replies = [
      JSON.stringify({ workItems }),
      "the walls stand",
      verdict(true),
      "no roof",
      verdict(false),
      "still no roof",
      verdict(false),
    ];
    const pi = await openPiSession({ cwd: project(LIST), confirm: () => true, replies });
    await pi.type("/materia cast --loadout Each a hut");
    const words = await pi.sees(/^materia-result/);
    expect(words).toMatch(/1\. ✓ \*\*walls\*\*: the walls stand\n2\. ✗ given up: \*\*roof\*\*: still no roof/);
    expect(words).not.toMatch(/Result: the audit/);
  });
});

describe("[X59] the card of the end", () => {
  const verdict = (satisfied: boolean, context: string): string => JSON.stringify({ satisfied, context });
  const endOf = async (...replies: readonly string[]) => {
    const pi = await openPiSession({ cwd: project(REWORK), confirm: () => true, replies });
    await pi.type("/materia cast --loadout Rework a hut");
    await pi.sees(/^materia-result/);
    return endCard(pi, 200);
  };

  it("has the report that a judge accepted before the judge's words, and the time", async () => {
    const end = await endOf("a hut of oak, with a door", verdict(true, "fine"));
    expect(end).toMatch(/a hut of oak, with a door[^]*Auto-Eval: fine/);
    expect(end).toMatch(/\n *[\d.:]+(?: s)? · 2 visits/);
  });

  it("says once why it is not satisfied", async () => {
    const pi = await openPiSession({ replies: ["a hut", verdict(false, "no door")] });
    await pi.type("/materia link Build Auto-Eval -- a hut");
    await pi.sees(/^materia-result/);
    const end = endCard(pi, 200);
    expect(end.split("no door")).toHaveLength(2);
    expect(end).toContain("not satisfied");
  });
});

it("[X59] a parallel item is reported in the words of its builder, not of its judge", () => {
  const logs = createItemLogs();
  const child = "20260101-000000-child1";
  const step = (event: object, castId = "parent") =>
    ({ event, before: { pass: null, phase: {} }, after: { castId } }) as unknown as CastStep; // only these are read
  logs.follow(step({ type: "item_started", index: 0, title: "walls", child }));
  logs.followItem(step({ type: "output_accepted", text: "the walls stand" }, child));
  logs.followItem(step({ type: "handoff_accepted", handoff: { satisfied: true, context: "fine" } }, child));
  logs.follow(step({ type: "item_ended", index: 0, child, advanced: "Socket-2", handed: { text: "fine" } }));
  expect(logs.result().items).toEqual([{ title: "walls", how: "done", said: "the walls stand" }]);
});

it("[X62, X64] the card of the end counts the changed files, and a key shows the patch of a card", async () => {
  const cwd = project({});
  const git = (...args: readonly string[]) => execFileSync("git", [...WHO, ...args], { cwd });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "begun");
  const write = (path: string, content: string) => ({ call: "write", args: { path, content } });
  const replies = [write("a.txt", "walls\n"), "walls", write("b.txt", "roof\n"), "roof"];
  const pi = await openPiSession({ cwd, mode: "tui", confirm: () => true, replies });
  await pi.type("/materia link Build Build -- a hut");
  await pi.sees(/^materia-result/);
  const end = pi.session.messages.findLast((each) => each.role === "custom");
  expect(JSON.stringify(end)).toContain("changed 2 files, +2 −0");
  resetCards();
  for (const card of visitData(pi)) drawnAt(100, card, false);
  openNextCard();
  openNextCard();
  const context = pi.session.extensionRunner.createContext();
  await pi.session.extensionRunner.getShortcuts({}).get("alt+c")?.handler(context);
  const patch = await pi.sees(/^materia-answer: diff/);
  expect([patch.includes("+walls"), patch.includes("+roof")]).toEqual([true, false]);
});

describe("[X46] cards are opened one at a time", () => {
  it("the newest where all were to be expanded, and the ones before it with a key", () => {
    resetCards();
    const cards = ["a", "b"].map((id) => ({ id, lines: [line(`${id} closed`)], opened: [line(`${id} open`)] }));
    const shown = (expanded: boolean): string => cards.map((card) => drawnAt(40, card, expanded).trim()).join(", ");
    expect(shown(false)).toBe("a closed, b closed");
    expect(shown(true)).toBe("a closed, b open");
    openNextCard();
    expect(shown(false)).toBe("a closed, b open");
    openNextCard();
    expect(shown(true)).toBe("a open, b closed");
    openNextCard();
    expect(shown(false)).toBe("a closed, b closed");
  });
});

describe("[X8, X9] the widget of an interactive visit", () => {
  it("does not repeat what streams above it, and never waits while it runs", async () => {
    const pi = await openPiSession({ replies: [{ call: "ls", args: { path: "." } }, "Plan A", { hang: true }] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    const asked = pi.asked();
    await pi.type("make it B");
    await asked;
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
    const frames = pi.shown().filter((text) => /^widget: [^]*abort stops it/.test(text));
    const running = frames.filter((text) => !text.includes("type to refine"));
    expect(running.length).toBeGreaterThan(1);
    for (const frame of running) expect(frame).toMatch(/^widget: ◔ running[^]*plan it/);
    expect(running.join("\n")).not.toMatch(/waiting for you|✓ ls|Plan A/);
  });
});

function endCard({ session }: PiSession, width: number, expanded = false): string {
  const message = session.messages.findLast((each) => each.role === "custom");
  return drawnAt(width, message?.role === "custom" ? message.details : undefined, expanded);
}

/** What the cards of visits hold, in their order. */
function visitData({ session }: PiSession): readonly unknown[] {
  return session.sessionManager
    .getBranch()
    .flatMap((entry) => (entry.type === "custom" && entry.customType === "materia-visit" ? [entry.data] : []));
}

function drawnAt(width: number, data: unknown, expanded: boolean): string {
  const same = (text: string): string => text;
  const theme = {
    fg: (_color: string, text: string) => text,
    bold: same,
    italic: same,
    underline: same,
    strikethrough: same,
  };
  return (
    drawCard(data, expanded, theme as unknown as Theme)
      ?.render(width)
      .join("\n") ?? ""
  ); // no more of it is used
}
