import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withScratch } from "./process.ts";
import { REQUEST, SOURCE, oneItem, threeItems, type ScriptAge } from "./request-scripts.ts";

/** What the agents of one scripted cast were sent. */
export interface RequestFigures {
  readonly requests: number;
  readonly bytes: number;
  /** In tokens of four bytes: as sent, and with a repeated beginning at a tenth. */
  readonly tokens: number;
  readonly billed: number;
  /** The mean share of a request that repeats an earlier one from its first character. */
  readonly repeated: number;
  /** The most requests that a conflict needed, from the second attempt on. */
  readonly conflictRequests: number;
}

const PROGRAM = fileURLToPath(new URL("../../bin/materia.mjs", import.meta.url));

/** With the program of an earlier commit, `before` takes the calls that its agents needed. */
export function measureRequests(
  program = PROGRAM,
  age: ScriptAge = "now",
): Promise<Readonly<Record<string, RequestFigures>>> {
  return withScratch(async (scratch) => ({
    "Full-Auto": castFigures(join(scratch, "one"), program, "Full-Auto", oneItem(age)),
    "Parallel-Auto": castFigures(join(scratch, "three"), program, "Parallel-Auto", threeItems(age)),
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
  const env = {
    ...process.env,
    ...withoutSearchPrograms(`${cwd}-bin`),
    PI_OFFLINE: "1",
    XDG_CONFIG_HOME: `${cwd}-config`,
  };
  execFileSync(process.execPath, [program, ...words], { cwd, env, stdio: "pipe" });
  return figuresOf(requestsIn(join(cwd, ".pi/pi-materia")));
}

const SEARCH_PROGRAMS = new Set(["rg", "fd", "fdfind"]);

/** As where the two casts were measured: elsewhere planners and narrators would also be offered grep and find. */
function withoutSearchPrograms(folder: string): Readonly<Record<string, string>> {
  mkdirSync(folder);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((each) => existsSync(each));
  for (const from of folders)
    for (const name of readdirSync(from))
      if (!SEARCH_PROGRAMS.has(name) && !existsSync(join(folder, name)))
        symlinkSync(join(from, name), join(folder, name));
  return { PATH: folder, PI_CODING_AGENT_DIR: folder };
}

interface SentRequest {
  readonly text: string;
  readonly at: number;
  /** The second attempt of which it is a part. */
  readonly conflict: string | undefined;
}

/** Each reply in a transcript answers one request: everything before it. */
function requestsIn(folder: string): readonly SentRequest[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("transcript.jsonl"),
  );
  const found = files.flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
    const own = lines.findLastIndex((line) => line.includes('"materia:continues"'));
    const conflict = /_WI-\d+_\d+/.exec(name)?.[0];
    let text = "";
    return lines.flatMap((line, index): readonly SentRequest[] => {
      const { type, timestamp, message } = JSON.parse(line) as TranscriptLine;
      if (type !== "message" || !message) return [];
      const before = text;
      for (const line of editedLines(message))
        if (!before.includes(line)) throw new Error(`${name}: nothing before has shown ${line}`);
      text += wireText(message);
      return message.role === "assistant" && index > own ? [{ text: before, at: Date.parse(timestamp), conflict }] : [];
    });
  });
  if (found.length === 0) throw new Error(`no request in ${folder} (${statSync(folder).size} bytes)`);
  return found.toSorted((a, b) => a.at - b.at);
}

/** What an agent must have seen, as it stands in the text of a request: or the script leaves out a call that it needs. */
function editedLines({ role, content }: SentMessage): readonly string[] {
  if (role !== "assistant" || !Array.isArray(content)) return [];
  const calls = content as readonly { readonly arguments?: { readonly edits?: readonly { oldText: string }[] } }[];
  const edits = calls.flatMap((call) => call.arguments?.edits ?? []);
  return edits.map(({ oldText }) => JSON.stringify(oldText).slice(1, -1));
}

/** The part of a message that a provider receives. Providers compare tools first, then instructions, then messages. */
function wireText({ role, content, sections, toolsAdded, toolCallId }: SentMessage): string {
  const tools = toolsAdded?.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const system = role === "system" ? [content, ...Object.values(sections ?? {})].join("\n\n") : content;
  return JSON.stringify({ tools, role, toolCallId, content: system });
}

interface TranscriptLine {
  readonly type: string;
  readonly timestamp: string;
  readonly message?: SentMessage;
}

interface SentMessage {
  readonly role: string;
  readonly content: unknown;
  readonly sections?: Readonly<Record<string, string>>;
  readonly toolsAdded?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: unknown;
  }[];
  readonly toolCallId?: string;
}

function figuresOf(requests: readonly SentRequest[]): RequestFigures {
  let [bytes, repeatedBytes, share] = [0, 0, 0];
  requests.forEach(({ text }, index) => {
    const repeated = Math.max(0, ...requests.slice(0, index).map((earlier) => commonLength(earlier.text, text)));
    bytes += text.length;
    repeatedBytes += repeated;
    share += repeated / text.length;
  });
  const inConflict = [...Map.groupBy(requests, ({ conflict }) => conflict)].flatMap(([conflict, all]) =>
    conflict === undefined ? [] : [all],
  );
  return {
    requests: requests.length,
    bytes,
    tokens: Math.ceil(bytes / 4),
    billed: Math.ceil((bytes - 0.9 * repeatedBytes) / 4),
    repeated: share / requests.length,
    conflictRequests: Math.max(0, ...inConflict.map((all) => all.length)),
  };
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
