import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { listCasts } from "../harness/journals.ts";
import { openPiSession, type PiSession } from "../harness/pi-session.ts";
import { SWEEP, isFull } from "../harness/sweep.ts";

describe("[X4] a cast beside the session", () => {
  it("the command returns at once, and the session can be used", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.type("/materia status");
    expect(await pi.sees(/^info: ◔ running/)).toContain("make it");
    await pi.type("/materia abort");
    expect(await pi.sees(/^materia-result/)).toContain("aborted");
  });

  it("tools really run, and the files of the cast are those of the command line", async () => {
    const pi = await openPiSession({ replies: [{ call: "write", args: { path: "a.txt", content: "hi" } }, "built"] });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    expect(readFileSync(join(pi.cwd, "a.txt"), "utf8")).toBe("hi");
    expect(await statuses(pi)).toEqual(["completed"]);
  });
});

describe("[X5] stopping", () => {
  it("by /materia abort", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.type("/materia abort");
    expect(await pi.sees(/^materia-result/)).toContain("aborted");
    expect(await statuses(pi)).toEqual(["aborted"]);
  });

  it("not by Esc after the end", async () => {
    const pi = await openPiSession({ mode: "tui", replies: [{ hang: true }], editorText: "half a sen" });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
    expect(pi.press("\u001b")).toBeUndefined();
  });

  it("a waiting cast is aborted by its id", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.type("/materia abort");
    expect(await pi.sees(/is aborted/)).toContain("/materia recast");
    expect(await statuses(pi)).toEqual(["aborted"]);
  });
});

describe("[X6] leaving the session", () => {
  it.each(["quit", "reload", "new"] as const)("%s pauses the cast where nobody is asked", async (reason) => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.leave(reason);
    expect(await statuses(pi)).toEqual(["interrupted"]);
    pi.session.dispose();
    expect(pi.errors).toEqual([]);
  });

  it("a cast that waits stays waiting", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.leave("quit");
    expect(await statuses(pi)).toEqual(["waiting"]);
  });

  it("what comes after the session has gone is dropped in silence", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    // As after a crash of the process that should have informed us: the session ends without a question.
    pi.session.extensionRunner.invalidate();
    pi.session.dispose();
    await pi.leave("quit");
    expect(await statuses(pi)).toEqual(["interrupted"]);
  });
});

describe("[X7] one cast at a time", () => {
  it("in a session", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- one");
    await asked;
    await pi.type("/materia link Build -- two");
    expect(await pi.sees(/^error/)).toMatch(/cast_running[^]*\/materia abort/);
    await pi.type("/materia abort");
  });

  it("in a project", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- one");
    await asked;
    const other = await openPiSession({ cwd: pi.cwd });
    await other.type("/materia link Build -- two");
    expect(await other.sees(/^error/)).toMatch(/cast_running[^]*process \d+/);
    await pi.type("/materia abort");
    expect(await statuses(pi)).toEqual(["aborted"]);
  });
});

describe("[X8] the widget", () => {
  it("shows the place in the graph, and is gone with the cast", async () => {
    const pi = await openPiSession({ replies: ["built", JSON.stringify({ satisfied: true })] });
    await pi.type("/materia link Build Auto-Eval -- make it");
    expect(await pi.sees(/^widget: ./)).toMatch(/running[^]*make it[^]*Build · Auto-Eval/);
    await pi.sees(/^materia-result/);
    expect(pi.shown().findLast((text) => text.startsWith("widget"))).toBe("widget: ");
    expect(pi.shown().findLast((text) => text.startsWith("status"))).toBe("status: ");
  });

  it("[X9] shows what the agent does now", async () => {
    const pi = await openPiSession({
      replies: [{ call: "bash", args: { command: "echo first" } }, { hang: true }],
    });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/widget[^]*bash echo first/)).toMatch(/Build \(Socket-1\)/);
    await pi.type("/materia abort");
  });
});

describe("[X10] cards", () => {
  it("one per visit, of two lines, with what was handed over and the way taken", async () => {
    const pi = await openPiSession({ replies: ["built it", JSON.stringify({ satisfied: true })] });
    await pi.type("/materia link Build Auto-Eval -- make it");
    await pi.sees(/^materia-result/);
    const cards = pi.shown().filter((text) => text.startsWith("materia-visit"));
    expect(cards.map((card) => card.replaceAll(/(?<=\) {2})[\d.:]+(?: s)? .*tokens/g, "…"))).toEqual([
      "materia-visit:  1  Build (Socket-1)  … · $0.00 · first\n    built it  → Socket-2 (Auto-Eval)",
      "materia-visit:  2  Auto-Eval (Socket-2)  … · $0.00 · first\n    ✓ satisfied  → end: it has no edges",
    ]);
  });

  it("[X11] the result says how it ended, why, what it cost and what to do now", async () => {
    const pi = await openPiSession({ mode: "tui", replies: [{ error: "400 the key is wrong" }] });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    const message = pi.session.messages.findLast((each) => each.role === "custom");
    const details = JSON.stringify(message);
    expect(details).toMatch(/✕ failed[^]*0 visits[^]*the key is wrong[^]*\/materia recast/);
  });

  it("[X12] is the only message of a cast in the user's conversation", async () => {
    const pi = await openPiSession({ replies: ["mine", "built it", "yours"] });
    await pi.type("before");
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    await pi.type("after");
    expect(pi.requests.at(-1)?.messages).toEqual([
      "u: before",
      "a: mine",
      expect.stringMatching(/^u: A materia cast completed: Build[^]*Result: built it/),
      "u: after",
    ]);
    expect(pi.requests[1]?.messages).toEqual([expect.not.stringContaining("before")]);
  });
});

describe("[X13] faults", () => {
  it("a cast whose journal cannot be written says so", async () => {
    const pi = await openPiSession({ replies: ["x"] });
    await pi.type("/materia link --artifacts /dev/null/nowhere Build -- make it");
    expect(await pi.sees(/^error/)).toContain("write_failed");
    expect(pi.errors).toEqual([]);
  });
});

describe("[X29] the demo", () => {
  it.runIf(isFull)("is a cast of this session in a separate repository", SWEEP, async () => {
    const pi = await openPiSession();
    await pi.type("/materia demo");
    expect(await pi.sees(/scripted/)).toContain("materia-demo-");
    expect(await pi.sees(/^materia-result/)).toContain("completed: Full-Auto");
    expect(existsSync(join(pi.cwd, ".pi"))).toBe(false);
  });
});

describe("[X29] the web UI", () => {
  it("is served until the session ends", async () => {
    const pi = await openPiSession();
    await pi.type("/materia ui");
    const [url = ""] = /http\S+/.exec(await pi.sees(/^info/)) ?? [];
    expect((await fetch(url)).status).toBe(200);
    await pi.leave("quit");
    await vi.waitFor(() => expect(fetch(url)).rejects.toThrow("fetch failed"));
  });
});

async function statuses({ cwd }: PiSession): Promise<readonly string[]> {
  const root = join(cwd, ".pi", "pi-materia");
  return (await listCasts(root)).map(({ status }) => status);
}
