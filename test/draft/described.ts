import type { JsonObject } from "../../src/core/model/json.ts";

/** A step of a described loadout: a materia, and where a no leads. */
interface Step {
  readonly m: string;
  /** The number of the step that a no leads to; the end if 0. */
  readonly no?: number;
  readonly max?: number;
  readonly then?: string;
}

interface Shape {
  /** The first and the last step of the loop. */
  readonly loop?: readonly [first: number, last: number];
  readonly parallel?: number;
  /** The step that makes the list; the one before the loop if unset. */
  readonly list?: number;
  readonly materia?: JsonObject;
}

/** What the judgement looks for in the JSON of a draft. */
export type Must =
  | "gate"
  | "loop"
  | "other model"
  | "yes before push"
  | "own branch"
  | "bounded"
  | "read only"
  | "parallel"
  | "judge"
  | "person"
  | "commit";

export interface DescribedLoadout {
  readonly words: string;
  readonly draft: JsonObject;
  readonly must: readonly Must[];
}

function drafted(name: string, steps: readonly Step[], { loop, parallel, list, materia }: Shape = {}): JsonObject {
  const id = (number: number): string => (number === 0 || number > steps.length ? "end" : `Socket-${number}`);
  const sockets = steps.map(({ m, no, max, then }, index): [string, JsonObject] => {
    const isLast = loop?.[1] === index + 1;
    const next = isLast ? id(loop[0]) : id(index + 2);
    const back = {
      when: "not_satisfied",
      to: id(no ?? 0),
      ...(max === undefined ? {} : { maxTraversals: max }),
      ...(then === undefined ? {} : { then }),
    };
    const edges = no === undefined ? [{ when: "always", to: next }] : [{ when: "satisfied", to: next }, back];
    return [
      id(index + 1),
      { materia: m, ...(isLast ? { advance: no === undefined ? {} : { when: "satisfied" } } : {}), edges },
    ];
  });
  const loops = loop && {
    items: {
      sockets: steps.flatMap((_, index) => (index + 1 >= loop[0] && index < loop[1] ? [id(index + 1)] : [])),
      consumes: { from: id(list ?? loop[0] - 1), output: "workItems" },
      ...(parallel === undefined ? {} : { parallel }),
      exits: [{ id: "done", from: id(loop[1]), condition: "always", targetSocketId: id(loop[1] + 1) }],
    },
  };
  const description = `Drafted as ${name}.`;
  return {
    ...(materia ? { materia } : {}),
    loadouts: {
      [name]: { description, entry: "Socket-1", sockets: Object.fromEntries(sockets), ...(loops ? { loops } : {}) },
    },
  };
}

const reader = (prompt: string): JsonObject => ({ tools: "readOnly", prompt });
const judge = (prompt: string): JsonObject => ({ tools: "readOnly", parse: "json", prompt });
const lister = (prompt: string): JsonObject => ({ tools: "readOnly", generator: true, prompt });
const gate = (...command: string[]): JsonObject => ({ type: "utility", gate: true, command });
const ask = (question: string): JsonObject => ({ type: "person", question });
const other = { ...judge("Judge the change {{changes}}."), notModelOf: "Build" };
const tests = (no: number, then?: string): Step => ({
  m: "Run-Checks",
  no,
  max: 3,
  ...(then === undefined ? {} : { then }),
});
const evaluate = (no: number, then?: string): Step => ({
  m: "Auto-Eval",
  no,
  max: 2,
  ...(then === undefined ? {} : { then }),
});
const build: Step = { m: "Build" };
const commit: Step = { m: "Maintain" };
const plan: Step = { m: "Auto-Plan" };
const branch: Step = { m: "Mime-Bootstrap" };
const narrate: Step = { m: "Narrate" };

/** Thirty descriptions, as scripted drafts of a good agent, with what must be in each. */
export const DESCRIBED: readonly DescribedLoadout[] = [
  {
    words: "For every TODO in src: fix it, run the tests, have another model review it.",
    must: ["loop", "gate", "other model", "bounded"],
    draft: drafted(
      "Todo-Fixer",
      [{ m: "Todos" }, build, tests(2, "next"), { m: "Other", no: 2, max: 2, then: "next" }, commit],
      { loop: [2, 5], materia: { Todos: lister("List every TODO."), Other: other } },
    ),
  },
  {
    words: "Fix the bug and do not stop before the tests pass, but give up after three tries.",
    must: ["gate", "bounded"],
    draft: drafted("Until-Green", [build, tests(1)]),
  },
  {
    words: "Plan, build each item, evaluate it, commit it.",
    must: ["loop", "judge", "commit", "bounded"],
    draft: drafted("Item-By-Item", [plan, build, evaluate(2), commit], { loop: [2, 4] }),
  },
  {
    words: "Never commit before the linter is happy.",
    must: ["gate", "commit", "bounded"],
    draft: drafted("Lint-First", [build, { m: "Lint", no: 1, max: 3 }, commit], {
      materia: { Lint: gate("npm", "run", "lint") },
    }),
  },
  {
    words: "Ask me before anything is pushed.",
    must: ["yes before push", "own branch", "person"],
    draft: drafted(
      "Ask-Then-Push",
      [branch, build, evaluate(2), { m: "Mime-Maintain" }, { m: "May-Push", no: 0 }, { m: "Mime-GH-PR" }],
      { materia: { "May-Push": ask("May it be pushed?") } },
    ),
  },
  {
    words: "Work on a new branch and open a pull request on GitHub when I agree.",
    must: ["own branch", "yes before push"],
    draft: drafted(
      "Branch-And-PR",
      [branch, build, tests(2), { m: "Mime-Maintain" }, { m: "May-Push", no: 0 }, { m: "Mime-GH-PR" }],
      { materia: { "May-Push": ask("May it be pushed?") } },
    ),
  },
  {
    words: "Read the code and tell me where it is slow. Change nothing.",
    must: ["read only"],
    draft: drafted("Slow-Spots", [{ m: "Profiler" }], {
      materia: { Profiler: reader("Report slow places. Change nothing.") },
    }),
  },
  {
    words: "A security audit of the whole repository as a report.",
    must: ["read only"],
    draft: drafted("Security-Audit", [{ m: "Auditor" }], {
      materia: { Auditor: reader("Report risks with file and line.") },
    }),
  },
  {
    words: "Build four items at the same time.",
    must: ["loop", "parallel", "own branch"],
    draft: drafted("Four", [branch, { m: "Parallel-Plan" }, build, commit, narrate], { loop: [3, 4], parallel: 4 }),
  },
  {
    words: "Two agents in parallel, each item tested, failures skipped.",
    must: ["loop", "parallel", "gate", "bounded"],
    draft: drafted("Two-Lanes", [branch, { m: "Parallel-Plan" }, build, tests(3, "next"), commit], {
      loop: [3, 5],
      parallel: 2,
    }),
  },
  {
    words: "Write the tests that are missing and commit them.",
    must: ["gate", "commit"],
    draft: drafted("Cover-It", [{ m: "Cover" }, tests(1), commit]),
  },
  {
    words: "Let a second model judge what the first one wrote.",
    must: ["other model", "judge", "bounded"],
    draft: drafted("Second-Judge", [build, { m: "Other", no: 1, max: 3 }], { materia: { Other: other } }),
  },
  {
    words: "Migrate the database, but only after a dry run and my yes.",
    must: ["gate", "person"],
    draft: drafted(
      "Careful-Migration",
      [build, { m: "Dry", no: 1, max: 2 }, { m: "Ask", no: 0 }, { m: "Run", no: 0 }],
      { materia: { Dry: gate("npm", "run", "migrate:dry"), Ask: ask("Migrate?"), Run: gate("npm", "run", "migrate") } },
    ),
  },
  {
    words: "Write release notes from the last commits.",
    must: ["read only"],
    draft: drafted("Release-Notes", [{ m: "Notes" }], {
      materia: { Notes: reader("Summarise the newest commits for users.") },
    }),
  },
  {
    words: "Translate every page of docs to German, one after the other.",
    must: ["loop"],
    draft: drafted("Translate", [{ m: "Pages" }, build, commit], {
      loop: [2, 3],
      materia: { Pages: lister("One work item for each page in docs.") },
    }),
  },
  {
    words: "Upgrade each dependency separately; skip those whose tests fail.",
    must: ["loop", "gate", "bounded", "commit"],
    draft: drafted("Upgrades", [{ m: "Outdated" }, build, tests(2, "next"), commit], {
      loop: [2, 4],
      materia: { Outdated: lister("One work item for each outdated dependency.") },
    }),
  },
  {
    words: "Plan together with me, then build without me.",
    must: ["loop"],
    draft: drafted("Plan-With-Me", [{ m: "Interactive-Plan" }, build, commit], { loop: [2, 3] }),
  },
  {
    words: "Review my uncommitted changes and tell me whether they may stay.",
    must: ["judge"],
    draft: drafted("Review-Mine", [{ m: "Judge", no: 0 }], {
      materia: { Judge: judge("Judge the uncommitted change.") },
    }),
  },
  {
    words: "Fix the failing CI, check with make test, then explain what was wrong.",
    must: ["gate", "bounded"],
    draft: drafted("Fix-CI", [build, { m: "Make", no: 1, max: 4 }, narrate], {
      materia: { Make: gate("make", "test") },
    }),
  },
  {
    words: "Refactor file by file; after each file type checks must pass and somebody else must agree.",
    must: ["loop", "gate", "judge", "bounded"],
    draft: drafted("File-By-File", [{ m: "Files" }, build, { m: "Types", no: 2, max: 3 }, evaluate(2), commit], {
      loop: [2, 5],
      materia: { Files: lister("One work item for each file."), Types: gate("npx", "tsc", "--noEmit") },
    }),
  },
  {
    words: "Show me the plan before you build it.",
    must: ["person", "loop"],
    draft: drafted("Show-Plan", [plan, { m: "Agree", no: 0 }, build, commit], {
      loop: [3, 4],
      list: 1,
      materia: { Agree: ask("Build this? {{workItems}}") },
    }),
  },
  {
    words: "हर TODO को ठीक करो और टेस्ट चलाओ।",
    must: ["loop", "gate", "bounded"],
    draft: drafted("Hindi-Todos", [{ m: "Todos" }, build, tests(2, "next"), commit], {
      loop: [2, 4],
      materia: { Todos: lister("हर TODO के लिए एक काम लिखो।") },
    }),
  },
  {
    words: "Implement the feature, then a security review, then the commit.",
    must: ["judge", "commit", "bounded"],
    draft: drafted("Secure-Feature", [build, { m: "Security", no: 1, max: 2 }, commit], {
      materia: { Security: judge("Look for holes in {{changes}}.") },
    }),
  },
  {
    words: "Document every public function.",
    must: ["loop"],
    draft: drafted("Document", [{ m: "Functions" }, build, commit], {
      loop: [2, 3],
      materia: { Functions: lister("One work item for each module with public functions.") },
    }),
  },
  {
    words: "Answer a question about the code base.",
    must: ["read only"],
    draft: drafted("Ask-Code", [{ m: "Answer" }], {
      materia: { Answer: reader("Answer the request with files and lines.") },
    }),
  },
  {
    words: "Check the request against the code before building it.",
    must: ["judge", "bounded"],
    draft: drafted("Checked-Request", [{ m: "Context-Check" }, build, evaluate(2)]),
  },
  {
    words: "Reproduce the bug with a failing test first, then fix it, then run the tests.",
    must: ["gate", "bounded"],
    draft: drafted("Test-First", [{ m: "Cover" }, build, tests(2)]),
  },
  {
    words: "Clean up dead code in small commits, each tested.",
    must: ["loop", "gate", "commit"],
    draft: drafted("Dead-Code", [{ m: "Dead" }, build, tests(2, "next"), commit], {
      loop: [2, 4],
      materia: { Dead: lister("One work item for each piece of dead code.") },
    }),
  },
  {
    words: "Build it and push a pull request on Azure after my approval.",
    must: ["own branch", "yes before push"],
    draft: drafted("Azure", [branch, build, { m: "Mime-Maintain" }, { m: "May-Push", no: 0 }, { m: "Mime-ADO-PR" }], {
      materia: { "May-Push": ask("May it be pushed?") },
    }),
  },
  {
    words: "Plan it, let me approve every item, commit what I approved.",
    must: ["loop", "person", "commit", "bounded"],
    draft: drafted("Approve-Each", [plan, build, { m: "Each", no: 2, max: 2, then: "next" }, commit], {
      loop: [2, 4],
      materia: { Each: ask("Is {{item.title}} good?") },
    }),
  },
];
