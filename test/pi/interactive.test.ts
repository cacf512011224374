import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { answeredElsewhere } from "../harness/pi-elsewhere.ts";
import { eventTypes, openPiSession, project, type PiSession } from "../harness/pi-session.ts";

const PLAN = JSON.stringify({ workItems: [{ title: "A", context: "" }], context: "agreed" });

describe("[X17] refinement", () => {
  it("each message goes to the agent, and only /materia continue ends it", async () => {
    const pi = await openPiSession({ replies: ["Plan A", "Plan B", PLAN, "built"] });
    await pi.type("/materia link Interactive-Plan Build -- plan it");
    await pi.sees(/waits for you/);
    await pi.type("make it B");
    await pi.sees(/waits for you/);
    await pi.type("I am content, go on and hand over");
    await pi.sees(/waits for you/);
    expect(await eventTypes(pi.cwd)).toEqual([
      ...WAITS,
      "person_answered",
      "turn_answered",
      "cast_waiting",
      "cast_resumed",
      "person_answered",
      "turn_answered",
      "cast_waiting",
    ]);
    await pi.type("/materia continue");
    expect(await pi.sees(/^materia-result/)).toContain("built");
    expect(pi.errors).toEqual([]);
  });

  it("the answer streams in the user's session", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    const { messages } = pi.session.state;
    expect(pi.session.sessionManager.getBranch().some((entry) => JSON.stringify(entry).includes("Plan A"))).toBe(true);
    expect(messages.length).toBeLessThan(3);
  });

  it("/materia continue with words is an answer too", async () => {
    const pi = await openPiSession({ replies: ["Plan A", "Plan B"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.type("/materia continue make it B");
    await pi.sees(/waits for you/);
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: make it B");
  });

  it("what is typed while it still answers goes to it next", async () => {
    const pi = await openPiSession({
      replies: [{ call: "ls", args: { path: "." } }, "Plan A", "Plan B"],
      confirm: () => true,
    });
    const asked = pi.asked();
    await pi.type("/materia link Interactive-Plan -- plan it");
    await asked;
    await pi.type("and make it B");
    await pi.sees(/waits for you/);
    await pi.sees(/waits for you/);
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: and make it B");
  });

  it("a rehearsed agent is refined in the same way", async () => {
    const pi = await openPiSession({
      cwd: project(
        {},
        {
          "replies.json": JSON.stringify({ replies: { "Interactive-Plan": [{ text: "Plan A" }, { text: "Plan B" }] } }),
        },
      ),
      confirm: () => true,
    });
    await pi.type("/materia link --rehearse replies.json Interactive-Plan -- plan it");
    expect(await pi.sees(/^info[^]*Plan A/)).toContain("waiting");
    await pi.type("make it B");
    expect(await pi.sees(/^info[^]*Plan B/)).toContain("waiting");
    expect(pi.requests).toEqual([]);
  });
});

describe("[H25] handing over by a tool", () => {
  it("works in the user's session, whose own requests never offer it", async () => {
    const config = { materia: { Talk: { extends: "Interactive-Plan", handoff: "auto" } } };
    const pi = await openPiSession({
      cwd: project(config),
      confirm: () => true,
      replies: [{ call: "hand_over", args: JSON.parse(PLAN) }, "built", "mine"],
    });
    await pi.type("/materia link Talk Build -- plan it");
    await pi.sees(/waits for you/);
    expect(pi.requests[0]?.tools).toEqual(["read", "grep", "find", "ls", "hand_over"]);
    expect(pi.requests).toHaveLength(1);
    await pi.type("/materia continue");
    expect(await pi.sees(/^materia-result/)).toContain("built");
    expect(pi.requests[1]?.messages[0]).toContain("agreed");
    await pi.type("hello");
    await pi.sees(/^settled/);
    expect(pi.requests[2]?.tools).not.toContain("hand_over");
    expect(pi.errors).toEqual([]);
  });
});

describe("[X18] the context of such a turn", () => {
  it("its own system text, tools and turns, and nothing of the user's conversation", async () => {
    const pi = await openPiSession({ replies: ["mine", "Plan A", "Plan B"] });
    await pi.type("SECRET");
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.type("make it B");
    await pi.sees(/waits for you/);
    const [, first, second] = pi.requests;
    expect(first?.system).toMatch(/^You plan together with a person/);
    expect(first?.tools).toEqual(["read", "grep", "find", "ls"]);
    expect(first?.messages).toEqual(["u: ## Request\n\nplan it"]);
    expect(second?.messages).toEqual(["u: ## Request\n\nplan it", "a: Plan A", "u: make it B"]);
  });

  it("also in a session that begins with it", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    expect(pi.requests[0]).toMatchObject({
      tools: ["read", "grep", "find", "ls"],
      messages: ["u: ## Request\n\nplan it"],
    });
    expect(pi.requests[0]?.system).toMatch(/^You plan together with a person/);
  });

  it("a cast that waits is continued in another session with all that was said", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.leave("quit");
    const later = await openPiSession({ cwd: pi.cwd, replies: ["Plan B"] });
    // The greeting says so as well.
    await later.sees(/waits for you/);
    await later.type("/materia continue make it B");
    await later.sees(/waits for you/);
    expect(later.requests[0]?.messages).toEqual(["u: ## Request\n\nplan it", "a: Plan A", "u: make it B"]);
  });

  it("and on the command line", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    await pi.leave("quit");
    expect(await answeredElsewhere(pi.cwd, "make it B", createPiHost)).toEqual([
      "## Request\n\nplan it",
      "Plan A",
      "make it B",
    ]);
  });
});

describe("[X17] faults", () => {
  it("a message that is refused stands in the editor again", async () => {
    const pi = await openPiSession({ replies: ["Plan A"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    const other = await openPiSession({ cwd: pi.cwd });
    await other.type("/materia abort");
    await other.sees(/is aborted/);
    rmSync(join(pi.cwd, ".pi", "pi-materia"), { recursive: true });
    await pi.type("make it B");
    expect(await pi.sees(/^error/)).toContain("unknown_cast");
    expect(await pi.sees(/^editor/)).toBe("editor: make it B");
  });

  it("a refinement that was cut off is not lost when the cast goes on", async () => {
    const pi = await openPiSession({ replies: ["Plan A", { hang: true }, "Plan B"] });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    const asked = pi.asked();
    await pi.type("make it B");
    await asked;
    await pi.type("/materia abort");
    await pi.type("/materia recast");
    await pi.sees(/waits for you/);
    expect(pi.requests.at(-1)?.messages.slice(0, 3)).toEqual(["u: ## Request\n\nplan it", "a: Plan A", "u: make it B"]);
  });
});

const WAITS = ["cast_started", "visit_started", "turn_answered", "cast_waiting", "cast_resumed"];

describe("[X48] a gate of the user, in a turn in their session", () => {
  it("takes no Enter that was meant for the editor, and no word is lost", async () => {
    const pressed: unknown[] = [];
    const pi: PiSession = await openPiSession({
      mode: "tui",
      editorText: "half a ",
      replies: [{ call: "ls", args: { path: "." } }, "Plan A"],
      extensions: [
        (api) => {
          api.on("tool_call", async (_event, ctx) => ({ block: !(await ctx.ui.confirm("Run it?", "ls")) }));
        },
      ],
      confirm: async () => {
        await new Promise(setImmediate);
        pressed.push(...["s", "\r"].map((key) => pi.press(key)));
        await new Promise(setImmediate);
        pressed.push(pi.press("\r"));
        return true;
      },
    });
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    expect(pressed).toEqual([{ consume: true }, { consume: true }, undefined]);
    expect(await pi.sees(/^editor/)).toBe("editor: half a s");
  });
});
