import { expect, it } from "vitest";
import { namedCodeText, namedLinesIn } from "../../src/core/prompt/named-code.ts";
import { play, startOf, type TestConfig } from "../harness/play.ts";
import { said, seat, always, graph, loop, workshop, world, socket, notSatisfied, satisfied } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import { startedEvent } from "../../src/core/cast/next.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";

const FILE = `import { a } from "./a.js";

// Adds one.
export function add(list) {
  if (!list) {
    return 1;
  }

  return list.length + 1;
}

export const second = [];
export const third = [];
${"// More.\n".repeat(40)}`;

function shown(context: string, files: Readonly<Record<string, string>> = { "src/list.js": FILE }): string {
  const lines = Object.entries(files).map(([path, text]) => [path, text.split("\n")] as const);
  return namedCodeText(namedLinesIn(context), new Map(lines));
}

it("[P17] a named line comes with its block and two lines around", () => {
  expect(shown("Change `src/list.js#export function add(` so that …")).toBe(
    `src/list.js, lines 2-11:\n\`\`\`\n${FILE.split("\n").slice(1, 11).join("\n")}\n\`\`\``,
  );
  expect(shown("See `src/list.js#if (!list)`.")).toContain("lines 3-8:");
});

it("[P17] a line with backticks is named with escaped ones", () => {
  const files = { "README.md": `# A\n\n- \`one()\`\n- \`two()\`\n${"\n- more".repeat(50)}` };
  expect(shown("See `README.md#- \\`two` and `README.md#no such`.", files)).toContain("lines 2-6:");
});

it("[P17] places that meet are shown once, others of the file in its order", () => {
  expect(shown("`src/list.js#export const third`, `src/list.js#export const second`")).toBe(
    "src/list.js, lines 10-15:\n```\n}\n\nexport const second = [];\nexport const third = [];\n// More.\n// More.\n```",
  );
  expect(shown("`src/list.js#export const third` and `src/list.js#import`")).toMatch(
    /^src\/list\.js, lines 1-3, 11-15:\n```\nimport .*\n…\n\nexport const second/s,
  );
});

it("[P17] a short file is shown whole, with its imports", () => {
  const short = 'import { a } from "./a.js";\n\n\n\n\nexport const one = a;\n\n';
  expect(shown("`s.js#export const one`", { "s.js": short })).toBe(`s.js, lines 1-6:\n\`\`\`\n${short.trim()}\n\`\`\``);
});

it.each([
  "nothing at all",
  "`src/list.js`",
  "`src/list.js# `",
  "`#export`",
  "`src/list.js#no such line`",
  "`src/other.js#export`",
  "src/list.js#export",
  "`src/list.js\n#export`",
])("[P17] %j names nothing that is there", (context) => {
  expect(shown(context)).toBe("");
});

it("[P18] at most 8 files, 60 lines of a block and 8,000 characters", () => {
  const names = Array.from({ length: 9 }, (_, at) => `f${at}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, "here\n"]));
  expect(shown(names.map((name) => `\`${name}#here\``).join(), files).match(/^f\d/gm)).toHaveLength(8);
  const block = `start\n${" body\n".repeat(500)}`;
  expect(shown("`a.txt#start`", { "a.txt": block })).toContain("a.txt, lines 1-62:");
  const wide = shown("`a.txt#start`", { "a.txt": `start\n${` ${"x".repeat(999)}\n`.repeat(50)}` });
  expect(wide).toMatch(/ \[cut: \d+ more characters\]$/);
  expect(wide.length).toBeLessThan(8_100);
});

const ITEM = { title: "a", context: "Change `src/list.js#export function add(`." };
const HEADING = "## Code that is named above, as it is now\n\nsrc/list.js, lines 2-11:";

interface Shown {
  readonly reads?: string[];
  readonly text?: string;
  readonly diff?: string;
}

/** The visits whose first message contains the text: the named code, unless another is given. */
async function shownTo(
  config: TestConfig,
  { reads = [], text = HEADING, diff = "DIFF" }: Shown = {},
): Promise<readonly string[]> {
  const judged = new Set<string>();
  const { asked, ...ports } = world(
    ({ materia, visit }) => {
      if (materia === "Plan" || materia === "Refine") return said(JSON.stringify({ workItems: [ITEM] }));
      if (materia !== "Eval") return said("done");
      judged.add(materia);
      return said(JSON.stringify({ satisfied: visit > 1, context: "again" }));
    },
    {
      checkpoints: {
        take: async () => undefined,
        describe: async () => diff,
        linesOf: async (commit, path) => (reads.push(`${commit}:${path}`), FILE.split("\n")),
      },
    },
  );
  const state = initialState(startOf(config));
  const signal = new AbortController().signal;
  await runCast(state, ports, { cwd: "/project", signal, firstEvents: [startedEvent(state, { commit: "c0" })] });
  return asked.filter(({ prompt }) => prompt.includes(text)).map(({ socket: id, visit }) => `${id} ${visit}`);
}

it("[P17] the builder of the item gets it, for no visit that sees the changes instead", async () => {
  const reads: string[] = [];
  const materia = {
    Plan: { prompt: "Plan.", generator: true },
    Build: { prompt: "Build.", tools: "coding" },
    Eval: { prompt: "Judge {{changes}}.", parse: "json", tools: "readOnly" },
    Tell: { prompt: "Tell.", tools: "readOnly" },
  };
  expect(await shownTo(workshop({ materia }), { reads })).toEqual(["Socket-2 1"]);
  expect(reads).toEqual(["c0:src/list.js"]);
});

it("[P17] an agent that refines a list gets the code of the list, one without the tool read does not", async () => {
  const seats = (tools: string) =>
    graph(
      { "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": seat("Refine") },
      {
        materia: {
          Plan: { prompt: "Plan.", generator: true },
          Refine: { prompt: "Refine.", generator: true, tools },
        },
      },
    );
  expect(await shownTo(seats("readOnly"))).toEqual(["Socket-2 1"]);
  expect(await shownTo(seats("none"))).toEqual([]);
});

it("[P17] without checkpoints nothing is shown", async () => {
  const { asked } = await play(workshop(), { says: { Plan: [{ workItems: [ITEM] }], Eval: [{ satisfied: true }] } });
  expect(asked.find(({ socket: id }) => id === socket("Socket-2"))?.prompt).not.toContain("named above");
});

it("[P12] an agent that mends what was refused sees the change, also at its first visit; one that goes on does not", async () => {
  const materia = {
    Build: { prompt: "Build.", tools: "coding" },
    Eval: { prompt: "Judge.", parse: "json" },
    Commit: { prompt: "Commit.", tools: "coding" },
  };
  const config = graph(
    {
      "Socket-1": seat("Build", always("Socket-2")),
      "Socket-2": seat("Eval", notSatisfied("Socket-3"), satisfied("Socket-4")),
      "Socket-3": seat("Build", always("Socket-2")),
      "Socket-4": seat("Commit"),
    },
    { materia },
  );
  expect(await shownTo(config, { text: "DIFF" })).toEqual(["Socket-3 1"]);
});

it("[P12, P17] a refusal before any change leaves the builder the named code, and no empty part", async () => {
  const materia = {
    Plan: { prompt: "Plan.", generator: true },
    Eval: { prompt: "Judge.", parse: "json" },
    Build: { prompt: "Build.", tools: "coding" },
  };
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Eval", notSatisfied("Socket-3"), satisfied("Socket-3")),
      "Socket-3": { ...seat("Build"), advance: {} },
    },
    { materia, loops: { each: loop(["Socket-3"]) } },
  );
  expect(await shownTo(config, { diff: "" })).toEqual(["Socket-3 1"]);
  expect(await shownTo(config, { diff: "", text: "## Changes so far" })).toEqual([]);
});

it("[P12] an agent that was sent back and has changed nothing learns it", async () => {
  const materia = { Build: { prompt: "Build.", tools: "coding" }, Eval: { prompt: "Judge.", parse: "json" } };
  const config = graph(
    {
      "Socket-1": seat("Build", always("Socket-2")),
      "Socket-2": seat("Eval", notSatisfied("Socket-1"), satisfied("end")),
    },
    { materia },
  );
  expect(await shownTo(config, { diff: "", text: "(no file has been changed)" })).toEqual(["Socket-1 2"]);
});
