import { beforeAll, describe, expect, it } from "vitest";
import { castsIn, journalOf, put } from "../harness/cli.ts";
import { newPiPlace, userConfig } from "../harness/pi-place.ts";
import { lastAsked } from "../harness/pi-seen.ts";
import { KEYS, openPiTui } from "../harness/pi-tui.ts";

/** Work that is judged by another, and sent back once at the most. */
const PAIR = {
  activeLoadout: "Pair",
  materia: {
    Mason: { prompt: "You lay bricks.", tools: { type: "custom", tools: ["brick"] } },
    Judge: { prompt: "Judge.", parse: "json", thinking: "high" },
  },
  loadouts: {
    Pair: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Mason", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Judge", edges: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 1 }] },
      },
    },
  },
};

/** A tool of the user's own, which asks before it is used. */
const BRICK = `export default (pi) => {
  pi.registerTool({
    name: "brick",
    label: "Brick",
    description: "Lays a brick",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "laid" }], details: {} }),
  });
  pi.on("tool_call", async ({ toolName }, ctx) => {
    if (toolName !== "brick") return undefined;
    return (await ctx.ui.confirm("Lay it?", "a brick")) ? undefined : { block: true, reason: "no brick today" };
  });
};`;

const BACKSPACE = "\u007f";
const NO = { text: '{"satisfied":false,"context":"too small"}' };

/** A person who types when they are asked, and accepts what was sent back too often. */
async function asked() {
  const first = Promise.withResolvers<void>();
  const place = await newPiPlace(
    { ...userConfig(PAIR), "AGENTS.md": "Bricks here are red." },
    { text: "I begin with the first brick.", until: first.promise },
    NO,
    { call: { name: "brick", arguments: {} } },
    { text: "A wall." },
    NO,
  );
  put(place.agentDir, { "extensions/brick.ts": BRICK });
  // A terminal that passes notices on to the desktop.
  const env = { ...place.env, TERM_PROGRAM: "iTerm.app" };
  const pi = await openPiTui({ ...place, env }, "--approve");
  await pi.send("/materia cast a wall");
  await pi.sees(/» I begin with/);
  const told = lastAsked(place.model);
  pi.type("half a sen");
  await pi.sees(/half a sen/);
  first.resolve();
  const held = await pi.sees(/A cast has a question: send or clear your text/);
  pi.type(KEYS.ctrlC);
  await pi.sees(/Lay it\?/, /→ Yes/);
  pi.type("x");
  pi.type(KEYS.enter);
  const kept = await pi.sees(/What you typed stays in the editor; Enter once more chooses/, /Lay it\?/);
  pi.type(KEYS.enter);
  await pi.loses(/Lay it\?/);
  const editor = await pi.sees(/\nx\s*\n/);
  // A second Ctrl+C so soon would leave Pi.
  pi.type(BACKSPACE);
  const limit = await pi.sees(/It was sent back too often: too small/, /→ Once more, with a hint/);
  const [castId = ""] = castsIn(place.cwd);
  const failed = journalOf(place.cwd, castId).at(-1);
  pi.type(KEYS.down);
  await pi.sees(/→ Accept it as it is/);
  pi.type(KEYS.enter);
  const end = await pi.sees(/✓ completed {2}Pair/);
  return { place, told, held, kept, limit, failed, end, raw: pi.raw(), editor };
}

describe("a person at the terminal", () => {
  let seen: Awaited<ReturnType<typeof asked>>;
  beforeAll(async () => {
    seen = await asked();
  });

  it("[X47] their agents know the project, think as hard as the session and have its extensions' tools", () => {
    expect(seen.told.system).toContain("Bricks here are red.");
    expect(seen.told).toMatchObject({ thinking: "low", tools: ["brick"] });
    expect(lastAsked(seen.place.model)).toMatchObject({ thinking: "high", tools: [] });
  });

  it("[X48] a dialog waits for who types, and no Enter of theirs chooses", () => {
    expect(seen.held).not.toContain("Lay it?");
    expect(lastAsked(seen.place.model, 1).said.at(-1)).toContain("laid");
    expect(seen.kept).toContain("Lay it?");
    expect(seen.editor).not.toContain("Lay it?");
  });

  it("[X45] decides what becomes of a result that was sent back too often", () => {
    expect(seen.failed).toMatchObject({ type: "cast_ended", outcome: "failed" });
    expect(seen.limit).toContain("Accept it as it is");
    expect(seen.end).toContain("✓ completed  Pair");
  });

  it("[X41] is called by the bell, the desktop and the title of the window", () => {
    for (const said of ["failed", "completed"]) {
      expect(seen.raw).toContain(`\u0007\u001b]9;materia: ${said} - project\u0007`);
      expect(seen.raw).toContain(`\u001b]0;materia: ${said} - project\u0007`);
    }
  });
});
