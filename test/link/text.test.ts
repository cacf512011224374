import { beforeAll, expect, it } from "vitest";
import { castFile, castsIn, journalOf, jsonOf, listing, newPlace, readText, run } from "../harness/cli.ts";

/** Replies for every bundled agent, so that each command of the text runs as it is written. */
const items = (...titles: readonly string[]) => ({
  json: { workItems: titles.map((title) => ({ title, context: "" })), context: "planned" },
});
const replies = {
  Planner: [items("feat: settings page")],
  "Interactive-Plan": [items("feat: agreed")],
  "Auto-Plan": [items("feat: plan")],
  "Auto-Architect": [items("feat: design")],
  "Context-Check": [{ text: "looked into it" }],
  Build: [{ text: "built it" }],
  "Auto-Eval": [{ json: { satisfied: true, context: "works" } }],
  Maintain: [{ text: "kept it" }],
  Narrate: [{ text: "told it" }],
  "Chain-Context": [{ json: { satisfied: true, context: "what came before" } }],
};
const single = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });
const two = {
  materia: {
    Judge: { prompt: "Judge.", parse: "json" },
    Loud: { type: "utility", command: ["node", "-e", "console.log('loud '.repeat(50_000))"] },
  },
  loadouts: {
    Build: single("Narrate"),
    Fork: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": {
          materia: "Judge",
          edges: [
            { when: "satisfied", to: "Socket-2" },
            { when: "not_satisfied", to: "Socket-3" },
          ],
        },
        "Socket-2": { materia: "Build" },
        "Socket-3": { materia: "Narrate" },
      },
    },
    Odd: {
      entry: "Socket-1",
      sockets: { "Socket-1": { materia: "Build", edges: [{ when: "satisfied", to: "end" }] } },
    },
  },
};

let cwd: string;
/** The first cast, which later examples continue. */
let earlier: string;

beforeAll(() => {
  cwd = newPlace({ "replies.json": { replies, onEmpty: "repeat-last" }, "two.json": two });
});

const words = (typed: string) => typed.replace("<castId>", earlier).split(" ");
const link = (typed: string) => run(["link", "--rehearse", "replies.json", ...words(typed)], { cwd });
const newest = () => castsIn(cwd).at(-1) ?? "";
const visited = (castId: string) =>
  journalOf(cwd, castId).flatMap((event) => (event.type === "visit_started" ? [event.materia] : []));

const FULL_AUTO = [
  "Ignore-Artifacts",
  "Detect-VCS",
  "Auto-Plan",
  "Several-Items",
  "Build",
  "Auto-Eval",
  "Maintain",
  "Narrate",
];
const HOJO = [
  "Interactive-Plan",
  "Auto-Architect",
  "Commit-Sigil",
  "Blackbelt-Bootstrap",
  "Detect-VCS",
  "Build",
  "Auto-Eval",
  "Maintain",
  "Narrate",
];

/** The examples of the text, as written and in its order. One with a person in it waits for them and is continued. */
it.each<[title: string, typed: string, waits: boolean, materia: readonly string[]]>([
  ["[L21] materia to materia", "Planner Build -- Add a small settings page.", false, ["Planner", "Build"]],
  [
    "[L21] loadout to loadout",
    "loadout:Planning-Consult loadout:Full-Auto -- Design and implement the next feature.",
    true,
    ["Interactive-Plan", "Context-Check", ...FULL_AUTO],
  ],
  [
    "[L21] materia and loadouts mixed",
    "materia:Context-Check loadout:Planning-Consult Build -- Audit the request, plan, then implement.",
    true,
    ["Context-Check", "Interactive-Plan", "Context-Check", "Build"],
  ],
  [
    "[L21, L29] continued, with the context transformed for a materia",
    "--from <castId> Chain-Context Build -- Continue from the previous cast and implement the next step.",
    false,
    ["Chain-Context", "Build"],
  ],
  [
    "[L21, L29] continued, with the context transformed for a loadout",
    "--from <castId> Chain-Context loadout:Hojo-Consult -- Continue from the previous cast and refine the design.",
    true,
    ["Chain-Context", ...HOJO],
  ],
  [
    "[L21, L27] continued without Chain-Context",
    "--from <castId> loadout:Full-Auto -- Continue the implementation.",
    false,
    FULL_AUTO,
  ],
])("%s", async (_title, typed, waits, materia) => {
  const before = castsIn(cwd).length;
  const started = await link(typed);
  expect([started.code, castsIn(cwd).length]).toEqual([waits ? 4 : 0, before + 1]);
  const castId = newest();
  const finished = waits ? await run(["continue", castId], { cwd }) : started;
  expect([finished.code, visited(castId)]).toEqual([0, materia]);
  const [targets = "", prompt = ""] = words(typed).join(" ").split(" -- ");
  const names = targets.split(" ").filter((word) => !word.startsWith("--") && word !== earlier);
  expect(jsonOf(castFile(cwd, castId, "cast.json"))).toMatchObject({
    request: prompt,
    command: `link ${targets} --rehearse ${cwd}/replies.json -- ${prompt}`,
    targets: names.map((name) => ({ name: name.replace(/^\w+:/, ""), layer: "bundled", file: null })),
    fromCastId: typed.startsWith("--from") ? earlier : null,
  });
  earlier ||= castId;
});

it("[L27] without Chain-Context no prompt speaks of the earlier cast, and its state is there", () => {
  const castId = newest();
  const prompts = journalOf(cwd, castId).flatMap((event) =>
    event.type === "visit_started" && !["Ignore-Artifacts", "Detect-VCS", "Several-Items"].includes(event.materia)
      ? [readText(castFile(cwd, castId, "sockets", event.socket, String(event.visit), "prompt.md"))]
      : [],
  );
  expect(prompts).toHaveLength(5);
  expect(prompts.filter((prompt) => prompt.includes(earlier) || prompt.includes("settings page"))).toEqual([]);
  const input = jsonOf(castFile(cwd, castId, "sockets", "Socket-1", "1", "input.json"));
  expect(input).toMatchObject({ state: { previousCastContext: { castId: earlier, outcome: "completed" } } });
});

it("[L30] an earlier cast that nothing reads is allowed, and the note has the command that hands it on", async () => {
  const unread = await link("--from <castId> loadout:Full-Auto -- Continue.");
  const shown = `${unread.stdout}${unread.stderr}`.replace(/\s+/g, " ");
  expect(shown).toContain(
    `no target reads ${earlier}; this one hands it on: materia link --from ${earlier} materia:Chain-Context loadout:Full-Auto`,
  );
  const read = await link("--from <castId> Chain-Context Build -- Continue.");
  expect(`${read.stdout}${read.stderr}`).not.toContain("no target reads");
});

it("[L14] no loadout was saved, chosen or changed", async () => {
  const { stdout } = await run(["loadout", "--json"], { cwd });
  const loadouts = JSON.parse(stdout) as readonly { readonly name: string; readonly active: boolean }[];
  expect(loadouts.map(({ name, active }) => `${name}${active ? " *" : ""}`)).toEqual([
    "Full-Auto *",
    "Test-Driven",
    "Parallel-Auto",
    "Planning-Consult",
    "Hojo-Consult",
  ]);
});

const config = ["--config", "two.json"];

/** The error cases of the text, in its order. */
type Refusal = [title: string, args: () => readonly string[], code: string, said: string];

async function refused(args: readonly string[]) {
  const before = listing(cwd);
  const ran = await run(["link", "--rehearse", "replies.json", ...args], { cwd });
  const problems = [...ran.stderr.matchAll(/^error (\w+): /gm)].map(([, code]) => code);
  return { ...ran, problems, untouched: JSON.stringify(listing(cwd)) === JSON.stringify(before) };
}

const refusal = (code: string, said: string) => ({
  code: 2,
  stdout: "",
  stderr: expect.stringContaining(said) as string,
  problems: [code],
  untouched: true,
});

it.each<Refusal>([
  ["[L1, L21] missing target sequence", () => words("-- do it"), "missing_target", "at least one materia or loadout"],
  ["[L1, L21] missing prompt delimiter", () => words("Build implement this"), "missing_delimiter", '"--" is missing'],
  ["[L1, L21] missing prompt text", () => words("Build --"), "missing_prompt", 'no prompt after "--"'],
  [
    "[L8, L21] ambiguous target name",
    () => [...config, ...words("Build -- x")],
    "ambiguous_target",
    "materia:Build or loadout:Build",
  ],
  ["[L8, L21] unknown target", () => words("Biuld -- x"), "unknown_target", 'did you mean "Build"?'],
  [
    "[L8, L21] unknown prefixed target",
    () => words("loadout:Ful-Auto -- x"),
    "unknown_target",
    'did you mean "Full-Auto"?',
  ],
  [
    "[L25, L21] missing previous cast",
    () => words("--from missing Build -- x"),
    "unknown_cast",
    '"materia casts" lists them',
  ],
  ["[L25, L21] a path in place of an id", () => words("--from ../casts Build -- x"), "bad_cast_id", "is not a cast id"],
])("%s", async (_title, args, code, said) => {
  expect(await refused(args())).toEqual(refusal(code, said));
});

it("[L29] Chain-Context without input says so, and its answer is the cast's", async () => {
  const said = "state.previousCastContext is unavailable";
  const place = newPlace({
    "replies.json": {
      replies: { "Chain-Context": [{ json: { satisfied: false, context: said } }], Build: [{ text: "built" }] },
    },
  });
  const alone = await run(["link", "--rehearse", "replies.json", "Chain-Context", "--", "go on"], { cwd: place });
  expect([alone.code, alone.stdout]).toEqual([3, expect.stringContaining(said)]);
  const prompt = readText(castFile(place, castsIn(place)[0] ?? "", "sockets", "Socket-1", "1", "prompt.md"));
  expect(prompt).toMatch(/----------\n\n----------/);
  expect(prompt).toContain("`state.previousCastContext` is unavailable");
  const chained = await run(["link", "--rehearse", "replies.json", "Chain-Context", "Build", "--", "go on"], {
    cwd: place,
  });
  expect(chained.code).toBe(0);
});

it("[L26, L29] unexpectedly large context is bounded, and says what was cut", async () => {
  expect((await run(["link", ...config, "Loud", "--", "be loud"], { cwd })).code).toBe(0);
  const loud = newest();
  expect((await link(`--from ${loud} Chain-Context Build -- go on`)).code).toBe(0);
  const prompt = readText(castFile(cwd, newest(), "sockets", "Socket-1", "1", "prompt.md"));
  expect(prompt).toContain('"path": "sockets/Socket-1/1/stdout.txt"');
  expect(prompt).toContain('"size": 250001');
  expect(prompt).toContain('"cut": true');
  expect(prompt.length).toBeLessThan(8_000);
});

it.each<Refusal>([
  [
    "[L18, L21] ambiguous terminal stitching",
    () => [...config, ...words("Fork Planner -- x")],
    "ambiguous_terminal",
    "cannot be named yet",
  ],
  [
    "[L19, L21] invalid composed graph",
    () => [...config, ...words("Odd Planner -- x")],
    "guard_needs_json",
    "loadouts.Odd",
  ],
])("%s", async (_title, args, code, said) => {
  expect(await refused(args())).toEqual(refusal(code, said));
});
