import { appendAll } from "../model/lists.ts";

export interface PatchLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Its number in the file before and after; null if that file lacks it. */
  readonly before: number | null;
  readonly after: number | null;
  /** Whether the file ends here without a line break. */
  readonly lacksFinalNewline: boolean;
}

export interface Hunk {
  /** The nearest heading or function above, as git names it. */
  readonly about: string;
  readonly lines: readonly PatchLine[];
}

/** One file of a patch. A file that became a link, or a link that became a file, is two of them. */
export interface FilePatch {
  /** Its modes before and after; null if the file is missing or the mode is unchanged. */
  readonly modes: { readonly before: string | null; readonly after: string | null };
  /** The similarity of a renamed file in percent. */
  readonly similarity: number | null;
  readonly isBinary: boolean;
  readonly hunks: readonly Hunk[];
}

/**
 * A patch of git as data. The head of a hunk gives its number of lines, so that content of a file cannot pass for
 * syntax of the patch. A truncated patch ends at its last line.
 */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split("\n");
  // The text ends with a line break, which begins no further line.
  if (lines.at(-1) === "") lines.pop();
  const files: FilePatch[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!(lines[at] ?? "").startsWith("diff --git ")) {
      at += 1;
      continue;
    }
    const head = readHead(lines, at + 1);
    const hunks: Hunk[] = [];
    at = head.next;
    for (let read = readHunk(lines, at); read; read = readHunk(lines, at)) {
      hunks.push(read.hunk);
      at = read.next;
    }
    files.push({ ...head.file, hunks });
  }
  return files;
}

function readHead(lines: readonly string[], from: number) {
  let [before, after]: [string | null, string | null] = [null, null];
  let similarity: number | null = null;
  let isBinary = false;
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("@@ ") || line.startsWith("diff --git ")) break;
    const [, when, mode = ""] = /^(old|new|new file|deleted file) mode (\d+)$/.exec(line) ?? [];
    if (when === "old" || when === "deleted file") before = mode;
    else if (when !== undefined) after = mode;
    else if (line.startsWith("similarity index ")) similarity = Number.parseInt(line.slice(17), 10);
    else if (line.startsWith("Binary files ") || line === "GIT binary patch") isBinary = true;
  }
  return { file: { modes: { before, after }, similarity, isBinary }, next: at };
}

const HUNK_PATTERN = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

function readHunk(lines: readonly string[], from: number): { readonly hunk: Hunk; readonly next: number } | undefined {
  const head = HUNK_PATTERN.exec(lines[from] ?? "");
  if (!head) return undefined;
  let [before, after] = [Number(head[1]), Number(head[3])];
  const [lastBefore, lastAfter] = [before + Number(head[2] ?? 1), after + Number(head[4] ?? 1)];
  const found: PatchLine[] = [];
  let at = from + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const last = found.at(-1);
    if (line.startsWith("\\")) {
      if (last) found[found.length - 1] = { ...last, lacksFinalNewline: true };
      continue;
    }
    if (before >= lastBefore && after >= lastAfter) break;
    const kind = line.startsWith("-") ? "gone" : line.startsWith("+") ? "new" : "same";
    found.push({
      kind,
      text: line.slice(1),
      before: kind === "new" ? null : before++,
      after: kind === "gone" ? null : after++,
      lacksFinalNewline: false,
    });
  }
  return { hunk: { about: head[5] ?? "", lines: found }, next: at };
}

export type PatchRow =
  | { readonly kind: "hunk"; readonly about: string }
  | ({ readonly kind: "line" } & PatchSide)
  | { readonly kind: "pair"; readonly left: PatchSide | null; readonly right: PatchSide | null };

/** A line of one side, with the part that differs from its counterpart. */
export interface PatchSide {
  readonly line: PatchLine;
  readonly changed: ChangedRange | null;
}

export interface ChangedRange {
  readonly from: number;
  readonly to: number;
}

export type PatchViewMode = "unified" | "split";

export function patchRows({ hunks }: FilePatch, form: PatchViewMode): readonly PatchRow[] {
  return hunks.flatMap((hunk) => {
    const [first] = hunk.lines;
    // Nothing is left out above the first line of a file.
    const isTop = hunk.about === "" && (first?.before ?? 1) === 1 && (first?.after ?? 1) === 1;
    return [...(isTop ? [] : [{ kind: "hunk", about: hunk.about } as const]), ...hunkRows(hunk, form)];
  });
}

function hunkRows({ lines }: Hunk, form: PatchViewMode): readonly PatchRow[] {
  const rows: PatchRow[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line?.kind === "same") {
      const side = { line, changed: null };
      rows.push(form === "split" ? { kind: "pair", left: side, right: side } : { kind: "line", ...side });
      at += 1;
      continue;
    }
    // The next removed lines, and the lines that replace them.
    let middle = at;
    while (lines[middle]?.kind === "gone") middle += 1;
    let end = middle;
    while (lines[end]?.kind === "new") end += 1;
    const [gone, added] = [lines.slice(at, middle), lines.slice(middle, end)];
    const left = gone.map((each, index) => ({ line: each, changed: changedRangeOf(each, added[index]) }));
    const right = added.map((each, index) => ({ line: each, changed: changedRangeOf(each, gone[index]) }));
    appendAll(
      rows,
      form === "split" ? pairRows(left, right) : [...left, ...right].map((side) => ({ kind: "line", ...side })),
    );
    at = end;
  }
  return rows;
}

function pairRows(left: readonly PatchSide[], right: readonly PatchSide[]): readonly PatchRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    return { kind: "pair", left: left[index] ?? null, right: right[index] ?? null };
  });
}

/** Longer lines are not compared, because nobody reads them letter by letter. */
const LONGEST_COMPARED = 1_000;

/** The range between the common start and the common end of two lines; null if they share too little. */
function changedRangeOf({ text }: PatchLine, other: PatchLine | undefined): ChangedRange | null {
  if (!other || text.length > LONGEST_COMPARED || other.text.length > LONGEST_COMPARED) return null;
  const most = Math.min(text.length, other.text.length);
  let from = 0;
  while (from < most && text[from] === other.text[from]) from += 1;
  let back = 0;
  while (back < most - from && text.at(-1 - back) === other.text.at(-1 - back)) back += 1;
  const to = text.length - back;
  const shared = text.slice(0, from).trim().length + text.slice(to).trim().length;
  return from === to || shared * 3 < text.trim().length ? null : { from, to };
}

/** Invisible or reordering characters. A diff shows their numbers, because they are part of the change. */
const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** A line with its invisible characters made visible. */
export function showHiddenCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r$/, "␍")
    .replace(HIDDEN_CHARACTERS, (mark) => `⟨${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

export interface SyntaxToken {
  readonly kind: "plain" | "string" | "comment" | "number" | "keyword";
  readonly text: string;
}

/** Longer lines are generated and stay uncoloured. */
const MAX_TOKENIZED_LENGTH = 400;

const KEYWORDS = new Set(
  (
    "abstract and as async await bool boolean break case catch class const continue def default defer del delete do " +
    "elif else end enum except export extends extern false final finally fn for from func function go if impl implements " +
    "import in instanceof int interface is let match mod module mut namespace new nil none None not null or package pass " +
    "private protected public pub raise readonly return self static struct super switch this throw throws trait true True " +
    "False try type typeof undefined union unsafe use using val var void where while with yield"
  ).split(" "),
);

/** The files of languages, and the pattern of their comments. */
const COMMENTS: readonly (readonly [files: RegExp, comment: string])[] = [
  [
    /\.(?:py|rb|sh|bash|zsh|ya?ml|toml|ini|cfg|conf|pl|r|mk|tf|nix|gitignore|dockerfile)$|(?:^|\/)(?:Makefile|Dockerfile|\.[^/.]+)$/i,
    "#.*",
  ],
  [/\.(?:sql|lua|hs|elm|ada)$/i, "--.*"],
  [
    /\.(?:[cm]?[jt]sx?|c|h|cc|cpp|hpp|cs|java|kt|kts|go|rs|swift|php|scala|dart|css|scss|less|jsonc?|proto|zig|groovy)$/i,
    "\\/\\/.*|\\/\\*.*?(?:\\*\\/|$)",
  ],
];

export function tokenizerFor(path: string): ((line: string) => readonly SyntaxToken[]) | null {
  const comment = COMMENTS.find(([files]) => files.test(path))?.[1];
  if (comment === undefined) return null;
  // Each alternative consumes a character and none backtracks, so the cost is linear.
  const parts = [
    `(?<comment>${comment})`,
    "(?<string>\"(?:[^\"\\\\]|\\\\.)*\"?|'(?:[^'\\\\]|\\\\.)*'?|`(?:[^`\\\\]|\\\\.)*`?)",
    "(?<number>\\b\\d[\\w.]*)",
    "[\\p{L}_$][\\p{L}\\p{N}_$]*",
  ];
  const pattern = new RegExp(parts.join("|"), "gu");
  return (line) => (line.length > MAX_TOKENIZED_LENGTH ? [{ kind: "plain", text: line }] : tokenizeLine(line, pattern));
}

function tokenizeLine(line: string, pattern: RegExp): readonly SyntaxToken[] {
  const tokens: SyntaxToken[] = [];
  const add = (kind: SyntaxToken["kind"], text: string): void => {
    const last = tokens.at(-1);
    if (text === "") return;
    if (last?.kind === kind) tokens[tokens.length - 1] = { kind, text: last.text + text };
    else tokens.push({ kind, text });
  };
  let at = 0;
  for (const found of line.matchAll(pattern)) {
    add("plain", line.slice(at, found.index));
    add(tokenKind(found), found[0]);
    at = found.index + found[0].length;
  }
  add("plain", line.slice(at));
  return tokens;
}

function tokenKind({ 0: text, groups = {} }: RegExpMatchArray): SyntaxToken["kind"] {
  const kind = (["comment", "string", "number"] as const).find((name) => groups[name] !== undefined);
  return kind ?? (KEYWORDS.has(text) ? "keyword" : "plain");
}
