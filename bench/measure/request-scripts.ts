/**
 * What the agents of two casts do. `NOW` is for the present prompts; `BEFORE` is for those of commit 5a6c1506, with as
 * many requests as a real model needed then, 22 and 58. It has further calls for what those prompts did not say:
 * - the architect read again what the planner had read, for one item;
 * - so did every builder, which now gets the lines that it changes, because the planner was asked to name them;
 * - a builder that was sent back looked up its own change, and so did the committer;
 * - a judge read the file around a change of which it saw three lines, the narrator .git/HEAD;
 * - after a conflict everything began again: the builder read the files, then it was judged and committed.
 */
export type ScriptAge = "now" | "before";

/**
 * Tokens billed with a cache at commit 5a6c1506, before agents continued conversations, for the calls of its agents.
 * Commit f7a6b7ee, the last before 2026-11-17, differs in a few words: 0.2 % and 0.1 % more.
 */
export const BILLED_BEFORE: Readonly<Record<string, number>> = { "Full-Auto": 15_683, "Parallel-Auto": 34_872 };

export const REQUEST = "Add trim, lower and words to words.js, each with a test.";

const PLACES = ["first", "second", "third"];

/** Three lists, far enough from each other that two changes of all of them are three conflicts. */
export const SOURCE = PLACES.map((place) => {
  const comments = Array.from({ length: 40 }, (_, at) => `// Line ${at}: text is handled here as plain ASCII.\n`);
  return `${comments.join("")}export const ${place} = [];\n`;
}).join("");

const call = (name: string, given: object) => ({ name, arguments: given });
const read = call("read", { path: "words.js" });
const branch = call("read", { path: ".git/HEAD" });
const test = call("bash", { command: "npm test --silent" });
const diff = call("bash", { command: "git status --short && git diff" });
const commit = call("bash", { command: 'git add -A && git commit -qm "Change words" || true' });
const change = (from: string, to: string) =>
  call("edit", {
    path: "words.js",
    edits: PLACES.map((place) => ({
      oldText: `export const ${place} = [${from}];`,
      newText: `export const ${place} = [${to}];`,
    })),
  });
const NAMED = PLACES.map((place) => `\`words.js#export const ${place}\``).join(", ");
const OPEN = "\nOpen: the types were not compiled.";
const item = (title: string, age: ScriptAge) => ({
  title,
  context: `words.js exports ${title}; a test shows it.${age === "now" ? ` It belongs into ${NAMED}.` : ""}`,
});

/** One item that is refused once. */
export function oneItem(age: ScriptAge): object {
  const plan = { tools: [read], json: { workItems: [item("trim", age)], context: "Plain ASCII only." } };
  return {
    ...common(age),
    "Auto-Plan": [plan],
    "Auto-Architect": [plan],
    Build: [...buildReplies("trim", age)],
    "Auto-Eval": [refusal(age), acceptance],
    Maintain: [{ tools: age === "before" ? [diff, commit] : [commit], text: "Committed as one commit." }],
  };
}

/** Three items that change the same lines, two of them refused: two conflicts, of three hunks each. */
export function threeItems(age: ScriptAge): object {
  const plan = { workItems: ["trim", "lower", "words"].map((title) => item(title, age)), context: "Plain ASCII only." };
  const merge = [
    {
      tools: age === "before" ? [read, merged] : [merged, test],
      text: `Kept the names of both in all three lists; npm test passes.${age === "before" ? "" : OPEN}`,
    },
  ];
  return {
    ...common(age),
    "Parallel-Plan": [{ tools: [read], json: plan }],
    "Integration-Review": [{ tools: [test], json: { satisfied: true, context: "The whole fits." } }],
    "Build@WI-1": buildReplies("trim", age),
    "Build@WI-2": buildReplies("lower", age),
    "Build@WI-3": buildReplies("words", age).slice(0, 1),
    "Build@WI-2.2": merge,
    "Build@WI-3.2": merge,
    "Auto-Eval@WI-1": [refusal(age), acceptance],
    "Auto-Eval@WI-2": [refusal(age), acceptance],
    "Auto-Eval@WI-3": [acceptance],
    "Auto-Eval@WI-2.2": [acceptance],
    "Auto-Eval@WI-3.2": [acceptance],
    Maintain: [{ tools: [commit], text: "Committed as one commit." }],
  };
}

function common(age: ScriptAge): object {
  return { Narrate: [{ tools: age === "before" ? [branch] : [], text: "All is done; npm test passes." }] };
}

function buildReplies(name: string, age: ScriptAge): readonly object[] {
  const again = change(`"${name}"`, `"${name}", ""`);
  return [
    {
      tools: [...(age === "before" ? [read] : []), change("", `"${name}"`), test],
      text: `words.js: added ${name}; npm test passes.${OPEN}`,
    },
    {
      tools: age === "before" ? [diff, again, test] : [again, test],
      text: `words.js: an empty text works; npm test passes.${OPEN}`,
    },
  ];
}

/** The present judge sees ten lines around each change, and here nothing else depends on them. */
function refusal(age: ScriptAge): object {
  return {
    tools: age === "before" ? [read, test] : [test],
    json: { satisfied: false, context: "words.js: an empty text fails. Found with words('')." },
  };
}

const acceptance = { tools: [test], json: { satisfied: true, context: "npm test passes; words.js belongs to it." } };

/** Takes the lines of both sides. */
const merged = call("bash", {
  command: `node -e 'const f=require("fs");f.writeFileSync("words.js",f.readFileSync("words.js","utf8").replace(/<<<<<<<.*\\n(.*)\\];\\n=======\\n.*\\[(.*)\\];\\n>>>>>>>.*/g,"$1, $2];"))'`,
});
