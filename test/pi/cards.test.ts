import { execFileSync } from "node:child_process";
import type { Theme } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";
import { drawCard } from "../../src/apps/pi/live/card.ts";
import { openPiSession, project } from "../harness/pi-session.ts";
import type { PiSession } from "../harness/pi-session.ts";

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

describe("[X10] the card of a visit", () => {
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
      /^ {2}1 {2}Interactive-Plan \(Socket-1\) {2}\d+:\d\d .*tokens\n {5}handed over 1 work item {2}→ Socket-2 \(Build\)$/,
    );
    expect(drawnAt(100, card, true)).toMatch(/Plan A[^]*“with a door”[^]*the person was content[^]*1\. a door/);
  });
});

describe("[X11] the card of a cast", () => {
  it("shows the request, and cuts nothing where the screen is narrow", async () => {
    const said = `${"many words ".repeat(20).trim()}\n  indented\n\t\ttabbed`;
    const pi = await openPiSession({ replies: [said] });
    await pi.type("/materia link Build -- a hut with a door");
    await pi.sees(/^materia-result/);
    const message = pi.session.messages.findLast((each) => each.role === "custom");
    const drawn = drawnAt(50, message?.role === "custom" ? message.details : undefined, false);
    expect(drawn).toContain("Request: a hut with a door");
    expect(drawn).toContain("\n   indented\n         tabbed\n");
    expect(drawn).not.toContain("…");
    expect(Math.max(...drawn.split("\n").map((row) => row.length))).toBeLessThanOrEqual(50);
    expect(drawn.replaceAll(/\n ?/g, "")).toContain(`${pi.cwd}/.pi/pi-materia/`);
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

/** What the cards of visits hold, in their order. */
function visitData({ session }: PiSession): readonly unknown[] {
  return session.sessionManager
    .getBranch()
    .flatMap((entry) => (entry.type === "custom" && entry.customType === "materia-visit" ? [entry.data] : []));
}

function drawnAt(width: number, data: unknown, expanded: boolean): string {
  const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => text };
  return (
    drawCard(data, expanded, theme as unknown as Theme)
      ?.render(width)
      .join("\n") ?? ""
  ); // no more of it is used
}
