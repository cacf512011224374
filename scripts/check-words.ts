// Plain English, as far as a machine can hold it: banned words in names and prose, and the length of messages, changelog bullets and rules.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { proseOf } from "./source-prose.ts";

/** A problem of one line of a file. */
export interface WordProblem {
  readonly line: number;
  readonly message: string;
}

/** Phrases that readers had to read twice, each with what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bmeanwhile\b/i, "say when: during the visit, since the last check"],
  [/\b(?:whoever|whomever|whosoever)\b/i, "name the one who acts: the caller, the user, the worker"],
  [/\bwhatever\b/i, "name the thing: any file, every reply"],
  [/\bhowever (?:many|often|long|much)\b/i, "say the bound, or leave it out"],
  [/\bof (?:its|their|his|her|your|our) own\b/i, "say what it has: its own folder, a separate process"],
  [/\bof long ago\b/i, "say expired, stale or old"],
  [/\bas it lies\b/i, "say unchanged, or as stored"],
  [/\b(?:is|are|was|were|be|been) told\b/i, "use a plain verb: says, reports, prints, receives"],
  [/\b(?:is|are|was|were) held\b/i, "use a plain verb: holds, keeps, stores"],
  [/\bbeforehand\b/i, "say before"],
  [/\binside of\b/i, "say inside"],
];

/** Parts of names that are images or riddles. Machinery has the words that every engine uses. */
const NAME_PARTS: ReadonlySet<string> = new Set(
  (
    "aside asker beat beating being beings birth born bringing brings calm deed deeds driven families family forget forgets forgetting forgiven " +
    "forgive forgotten furnish furnished furniture judging mend mended mends orb orbs quietly sight tale tales told unborn verdict verdicts weigh weighed"
  ).split(" "),
);

/** Nouns that end like a participle. Any other type of one word with such an ending is refused. */
const NOUNS: ReadonlySet<string> = new Set("Feed Heading Need Setting String Warning".split(" "));

const MAX_MESSAGE = 180;
const MAX_BULLET = 200;
const MAX_RULE = 400;

const DECLARED =
  /^(export )?(?:declare )?(?:async )?(const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

/** Problems of one source file: names that it declares, its comments and the texts in it. */
export function sourceProblems(text: string): readonly WordProblem[] {
  const names = [...text.matchAll(DECLARED)].flatMap(([, , kind = "", name = ""], index, all) =>
    nameProblems(kind, name).map((message) => ({ line: lineAt(text, all[index]?.index ?? 0), message })),
  );
  const prose = proseOf(text).flatMap(({ at, text: words, isMessage }) =>
    [...phraseProblems(words), ...(isMessage ? messageProblems(words) : [])].map((message) => ({
      line: lineAt(text, at),
      message,
    })),
  );
  return [...names, ...prose];
}

/** Problems of a document: phrases anywhere, bullets of the changelog and rules that are too long. */
export function documentProblems(file: string, text: string): readonly WordProblem[] {
  return text.split("\n").flatMap((line, index) => {
    const lengths =
      file === "CHANGELOG.md" && line.startsWith("- ") && line.length > MAX_BULLET + 2
        ? [`a changelog bullet of ${line.length - 2} characters; at most ${MAX_BULLET}`]
        : /^- \*\*[A-Z]+\d+\*\*/.test(line) && line.length > MAX_RULE
          ? [`a rule of ${line.length} characters; split it, at most ${MAX_RULE}`]
          : [];
    return [...lengths, ...phraseProblems(line.replaceAll(/`[^`]*`/g, "``"))].map((message) => ({
      line: index + 1,
      message,
    }));
  });
}

function nameProblems(kind: string, name: string): readonly string[] {
  const parts = name.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase());
  const images = parts.filter((part) => NAME_PARTS.has(part)).map((part) => `the name ${name} contains "${part}"`);
  const isType = ["interface", "type", "class"].includes(kind);
  const isParticiple = isType && /^[A-Z][a-z]+(?:ed|ing)$/.test(name) && !NOUNS.has(name);
  const isPreposition = /^(?:of|in|at|by|upon|behind|beside)[A-Z]/.test(name);
  return [
    ...images,
    ...(isParticiple ? [`the type ${name} is a bare participle; use a noun`] : []),
    ...(isPreposition ? [`the name ${name} begins with a preposition; use a verb or a noun`] : []),
  ];
}

function phraseProblems(words: string): readonly string[] {
  return PHRASES.flatMap(([phrase, instead]) => {
    const found = phrase.exec(words);
    return found ? [`"${found[0]}": ${instead}`] : [];
  });
}

function messageProblems(words: string): readonly string[] {
  const sentences = words.split(/[.!?]\s+(?=[A-Z])/).length;
  return [
    ...(words.length > MAX_MESSAGE ? [`a message of ${words.length} characters; at most ${MAX_MESSAGE}`] : []),
    ...(sentences > 2 ? [`a message of ${sentences} sentences; at most two`] : []),
  ];
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  const sources = globSync("{src,bin,scripts,bench,utilities,test}/**/*.{ts,tsx,mjs}", { cwd: root })
    // The list of banned words cannot be held to itself.
    .filter((file) => !file.endsWith(".d.ts") && !/check-words|words\.test/.test(file));
  const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root });
  const problems = [
    ...sources.flatMap((file) => sourceProblems(read(file)).map((problem) => ({ file, ...problem }))),
    ...documents.flatMap((file) => documentProblems(file, read(file)).map((problem) => ({ file, ...problem }))),
  ];
  for (const { file, line, message } of problems) console.error(`words: ${file}:${line}: ${message}`);
  console.log(`words: ${sources.length} sources and ${documents.length} documents, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
