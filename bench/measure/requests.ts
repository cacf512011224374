import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withScratch } from "./process.ts";

/** What the agents of one scripted cast were sent. */
export interface RequestFigures {
  readonly requests: number;
  readonly bytes: number;
  /** In tokens of four bytes: as sent, and with a repeated beginning at a tenth. */
  readonly tokens: number;
  readonly billed: number;
  /** The mean share of a request that repeats an earlier one from its first character. */
  readonly repeated: number;
  /** Requests of second attempts, after a conflict. */
  readonly conflictRequests: number;
}

const PROGRAM = fileURLToPath(new URL("../../bin/materia.mjs", import.meta.url));

/** One item that is refused once; and three items that change the same lines, two of them refused. */
export function measureRequests(program = PROGRAM): Promise<Readonly<Record<string, RequestFigures>>> {
  return withScratch(async (scratch) => ({
    "Full-Auto": castFigures(join(scratch, "one"), program, "Full-Auto", oneItem()),
    "Parallel-Auto": castFigures(join(scratch, "three"), program, "Parallel-Auto", threeItems()),
  }));
}

function castFigures(cwd: string, program: string, loadout: string, replies: object): RequestFigures {
  mkdirSync(cwd);
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@example.invalid");
  writeFileSync(join(cwd, "words.js"), SOURCE);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts: { test: "node --check words.js" } }));
  git("add", ".");
  git("commit", "-qm", "Start the project");
  const file = `${cwd}.json`;
  writeFileSync(file, JSON.stringify({ replies, onEmpty: "repeat-last" }));
  const words = ["cast", "--loadout", loadout, "--rehearse", file, "--quiet", REQUEST];
  const env = { ...process.env, PI_OFFLINE: "1", XDG_CONFIG_HOME: `${cwd}-config` };
  execFileSync(process.execPath, [program, ...words], { cwd, env, stdio: "pipe" });
  return figuresOf(requestsIn(join(cwd, ".pi/pi-materia")));
}

interface SentRequest {
  readonly text: string;
  readonly at: number;
  readonly isSecondAttempt: boolean;
}

/** Each reply in a transcript answers one request: everything before it. */
function requestsIn(folder: string): readonly SentRequest[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("transcript.jsonl"),
  );
  const found = files.flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
    const own = lines.findLastIndex((line) => line.includes('"materia:continues"'));
    const isSecondAttempt = /_WI-\d+_\d+/.test(name);
    let text = "";
    return lines.flatMap((line, index): readonly SentRequest[] => {
      const { type, timestamp, message } = JSON.parse(line) as TranscriptLine;
      if (type !== "message" || !message) return [];
      const { timestamp: _at, usage: _usage, toolsAdded, ...said } = message;
      const before = text;
      // Providers compare tools first, then instructions, then messages.
      text += JSON.stringify({ toolsAdded, ...said });
      return message.role === "assistant" && index > own
        ? [{ text: before, at: Date.parse(timestamp), isSecondAttempt }]
        : [];
    });
  });
  if (found.length === 0) throw new Error(`no request in ${folder} (${statSync(folder).size} bytes)`);
  return found.toSorted((a, b) => a.at - b.at);
}

interface TranscriptLine {
  readonly type: string;
  readonly timestamp: string;
  readonly message?: {
    readonly role: string;
    readonly timestamp?: unknown;
    readonly usage?: unknown;
    readonly toolsAdded?: unknown;
  };
}

function figuresOf(requests: readonly SentRequest[]): RequestFigures {
  let [bytes, repeatedBytes, share] = [0, 0, 0];
  requests.forEach(({ text }, index) => {
    const repeated = Math.max(0, ...requests.slice(0, index).map((earlier) => commonLength(earlier.text, text)));
    bytes += text.length;
    repeatedBytes += repeated;
    share += repeated / text.length;
  });
  return {
    requests: requests.length,
    bytes,
    tokens: Math.ceil(bytes / 4),
    billed: Math.ceil((bytes - 0.9 * repeatedBytes) / 4),
    repeated: share / requests.length,
    conflictRequests: requests.filter(({ isSecondAttempt }) => isSecondAttempt).length,
  };
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

const REQUEST = "Add trim, lower and words to words.js, each with a test.";
const SOURCE = `${Array.from({ length: 120 }, (_, at) => `// Line ${at}: text is handled here as plain ASCII.`).join("\n")}\nexport const all = [];\n`;

const call = (name: string, given: object) => ({ name, arguments: given });
const read = call("read", { path: "words.js" });
const list = call("ls", { path: "." });
const test = call("bash", { command: "npm test --silent" });
const change = (name: string) =>
  call("edit", {
    path: "words.js",
    edits: [{ oldText: "export const all = [];", newText: `export const all = ["${name}"];` }],
  });
const commit = call("bash", { command: 'git add -A && git commit -qm "Change words" || true' });
const item = (title: string) => ({ title, context: `words.js exports ${title}; a test shows it.` });

function common() {
  return {
    Narrate: [{ text: "All is done." }],
    "Integration-Review": [{ tools: [read], json: { satisfied: true, context: "The whole fits." } }],
    Maintain: [{ tools: [commit], json: { satisfied: true, context: "Committed." } }],
    GitMaintain: [{ tools: [commit], json: { satisfied: true, context: "Committed." } }],
  };
}

function oneItem() {
  const plan = { json: { workItems: [item("trim")], context: "Plain ASCII only." } };
  return {
    ...common(),
    "Auto-Plan": [{ ...plan, tools: [list, read] }],
    "Auto-Architect": [{ ...plan, tools: [list, read] }],
    Build: [
      { tools: [read, change("trim"), test], text: "Added trim; npm test passes.\nOpen: types were not compiled." },
      { tools: [test], text: "Mended the edge case." },
    ],
    "Auto-Eval": [
      { tools: [read, test], json: { satisfied: false, context: "words.js: an empty text fails." } },
      { tools: [test], json: { satisfied: true, context: "npm test passes." } },
    ],
  };
}

function threeItems() {
  const plan = { workItems: ["trim", "lower", "words"].map(item), context: "Plain ASCII only." };
  const build = (name: string) => [
    { tools: [read, change(name), test], text: `Added ${name}.` },
    { tools: [test], text: `Mended ${name}.` },
  ];
  const merged = call("bash", {
    command: `node -e 'const f=require("fs");f.writeFileSync("words.js",f.readFileSync("words.js","utf8").replace(/<<<<<<<[^]*>>>>>>>[^\\n]*/,"export const all = [\\"merged\\"];"))'`,
  });
  const again = { tools: [merged], text: "Merged both." };
  const no = { tools: [read, test], json: { satisfied: false, context: "An empty text fails." } };
  const yes = { tools: [test], json: { satisfied: true, context: "npm test passes." } };
  return {
    ...common(),
    "Parallel-Plan": [{ tools: [list, read], json: plan }],
    "Build@WI-1": build("trim"),
    "Build@WI-2": build("lower"),
    "Build@WI-3": [{ tools: [read, change("words"), test], text: "Added words." }],
    "Build@WI-2.2": [again],
    "Build@WI-3.2": [again],
    "Auto-Eval@WI-1": [no, yes],
    "Auto-Eval@WI-2": [no, yes],
    "Auto-Eval@WI-3": [yes],
  };
}
