// Every rule of docs/spec has a test that cites it, and every test cites a rule that exists.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const problems = [];

/** `[G1]`, `[G1, G2]`; `[G-a]` and the like are read too, so that a tag of no document is found. */
const CITATION = String.raw`\[([A-Z]{1,2}(?:\d+|-[a-z]+)(?:,\s*[A-Z]{1,2}(?:\d+|-[a-z]+))*)\]`;
const MOST_RULES = 3;

/** Comments, strings, templates (one inside another) and regular expressions, whichever begins first. */
const TOKEN = new RegExp(
  [
    String.raw`//[^\n]*`,
    String.raw`/\*[^]*?\*/`,
    String.raw`"(?:\\[^]|[^"\\\n])*"`,
    String.raw`'(?:\\[^]|[^'\\\n])*'`,
    "`(?:\\\\[^]|\\$\\{(?:[^{}`]|\\{[^{}]*\\}|`[^`]*`)*\\}|[^`\\\\])*`",
    String.raw`(?<=(?:^|[(,=:\[!&|?{};>]|\breturn)\s*)/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*`,
  ].join("|"),
  "g",
);

const rules = readRules();
if (process.argv.includes("--list")) {
  for (const [id, rule] of rules) console.log(`${id}\t${rule.text}`);
  process.exit(0);
}

const tests = filesIn("test", ".test.ts").map(readSource);
const sources = filesIn("src", ".ts", ".tsx").map(readSource);
const citations = tests.flatMap(citationsInStrings);
checkCitations([...citations, ...[...sources, ...tests].flatMap(citationsInComments)]);
checkFocus(citations);
checkCoverage(new Set(citations.flatMap((citation) => citation.ids)));
for (const test of tests) checkTitles(test);

if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error(`spec: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
  process.exit(1);
}
console.log(`spec: ${rules.size} rules, ${citations.length} citing tests`);

/** `- **G1** text` in docs/spec, in the order of ids; an id stands once, and the numbers of a prefix have no gaps. */
function readRules() {
  const found = new Map();
  for (const file of filesIn("docs/spec", ".md")) {
    const text = readFileSync(join(root, file), "utf8");
    for (const match of text.matchAll(/^- \*\*([A-Z]{1,2}\d+)\*\* (\S.*(?:\n {2,}\S.*)*)/gm)) {
      const [, id, body] = match;
      const place = `${file}:${lineAt(text, match.index)}`;
      const earlier = found.get(id);
      if (earlier) problems.push(`${place}: ${id} is already a rule in ${earlier.place}`);
      else found.set(id, { text: body.replace(/\s+/g, " "), place });
    }
  }
  if (found.size === 0) problems.push("docs/spec: no rules found");

  const numbers = Map.groupBy(found.keys(), prefixOf);
  for (const [letter, ids] of numbers) {
    const last = Math.max(...ids.map(numberOf));
    for (let number = 1; number <= last; number += 1) {
      if (!found.has(`${letter}${number}`))
        problems.push(`docs/spec: ${letter}${number} is missing before ${letter}${last}`);
    }
  }
  return new Map(
    [...found].toSorted(([a], [b]) => prefixOf(a).localeCompare(prefixOf(b)) || numberOf(a) - numberOf(b)),
  );
}

function checkCitations(all) {
  for (const { place, ids } of all) {
    for (const id of ids) if (!rules.has(id)) problems.push(`${place}: [${id}] is not a rule of docs/spec`);
  }
}

/** A test that shows everything shows nothing in particular. */
function checkFocus(all) {
  for (const { place, ids } of all)
    if (ids.length > MOST_RULES)
      problems.push(`${place}: cites ${ids.length} rules; at most ${MOST_RULES} are shown by one test`);
}

function checkCoverage(cited) {
  for (const [id, rule] of rules) if (!cited.has(id)) problems.push(`${rule.place}: no test cites [${id}]`);
}

/** A title begins with its rule, is the "%s" of a table whose rows do, or stands in a `describe` that cites one. */
function checkTitles(source) {
  const calls = callsIn(source);
  const citing = calls.filter((call) => call.name === "describe" && cites(call.title));
  for (const call of calls) {
    if (call.name === "describe" || cites(call.title) || call.title?.startsWith("%s")) continue;
    if (citing.some((outer) => outer.start < call.start && call.end <= outer.end)) continue;
    const place = `${source.file}:${lineAt(source.code, call.start)}`;
    problems.push(`${place}: ${call.name}(${JSON.stringify(call.title ?? "…")}) cites no rule`);
  }
}

function cites(title) {
  return title !== undefined && idsAtStart(title).length > 0;
}

/** it("…"), test.only("…"), it.each<Row>(table)("…"), describe.skipIf(condition)("…"): name, title and extent of each. */
function callsIn({ code, strings }) {
  const calls = [];
  for (const match of code.matchAll(/(?<![.\w$])(describe|it|test)(?:\.\w+)*\s*(?=[(<"])/g)) {
    const start = match.index;
    let open = skipBlanks(code, start + match[0].length);
    if (code[open] === "<") open = skipBlanks(code, skipGroup(code, open));
    let end = code[open] === '"' ? code.indexOf('"', open + 1) + 1 : skipGroup(code, open);
    const next = skipBlanks(code, end);
    if (code[next] === "(") [open, end] = [next, skipGroup(code, next)];
    const literal = /^\(\s*"(\d+)"/.exec(code.slice(open, open + 1000));
    calls.push({ name: match[1], start, end, title: literal ? strings[Number(literal[1])].text : undefined });
  }
  return calls;
}

function skipBlanks(code, from) {
  let at = from;
  while (/\s/.test(code[at] ?? "")) at += 1;
  return at;
}

/** The place after the bracket that closes the one at `from`; angles count only where the group itself is one. */
function skipGroup(code, from) {
  const [opening, closing] = code[from] === "<" ? ["<([{", ">)]}"] : ["([{", ")]}"];
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    if (opening.includes(code[at])) depth += 1;
    else if (closing.includes(code[at]) && !(code[at] === ">" && code[at - 1] === "=")) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

/** The file with every string replaced by its number and every comment and regular expression by a blank, so that brackets count. */
function readSource(file) {
  const text = readFileSync(join(root, file), "utf8");
  const strings = [];
  const comments = [];
  const code = text.replace(TOKEN, (token, offset) => {
    const lines = "\n".repeat(token.split("\n").length - 1);
    const piece = { text: token, place: `${file}:${lineAt(text, offset)}` };
    if (!token.startsWith("/")) return `"${strings.push({ ...piece, text: token.slice(1, -1) }) - 1}"${lines}`;
    if (/^\/[/*]/.test(token)) comments.push(piece);
    return ` ${lines}`;
  });
  return { file, code, strings, comments };
}

function citationsInStrings({ strings }) {
  return strings.map(({ text, place }) => ({ place, ids: idsAtStart(text) })).filter(({ ids }) => ids.length > 0);
}

function citationsInComments({ comments }) {
  return comments.map(({ text, place }) => ({
    place,
    ids: [...text.matchAll(new RegExp(CITATION, "g"))].flatMap(([, ids]) => splitIds(ids)),
  }));
}

function idsAtStart(text) {
  const match = new RegExp(`^${CITATION}`).exec(text);
  return match ? splitIds(match[1]) : [];
}

function splitIds(ids) {
  return ids.split(",").map((id) => id.trim());
}

/** `G` of `G12`, `TM` of `TM3`. */
function prefixOf(id) {
  return id.replace(/\d+$/, "");
}

function numberOf(id) {
  return Number(id.slice(prefixOf(id).length));
}

function lineAt(text, index) {
  return text.slice(0, index).split("\n").length;
}

function filesIn(folder, ...endings) {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}
