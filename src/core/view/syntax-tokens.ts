/** A token of a line of code, by its colour. */
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

/** Languages whose comments begin with `#`. */
const HASH_COMMENT_FILES =
  /\.(?:py|rb|sh|bash|zsh|ya?ml|toml|ini|cfg|conf|pl|r|mk|tf|nix|gitignore|dockerfile)$|(?:^|\/)(?:Makefile|Dockerfile|\.[^/.]+)$/i;
const DASH_COMMENT_FILES = /\.(?:sql|lua|hs|elm|ada)$/i;
const SLASH_COMMENT_FILES =
  /\.(?:[cm]?[jt]sx?|c|h|cc|cpp|hpp|cs|java|kt|kts|go|rs|swift|php|scala|dart|css|scss|less|jsonc?|proto|zig|groovy)$/i;

/** The tokenizer for a file; null if it is no code. */
export function tokenizerFor(path: string): ((line: string) => readonly SyntaxToken[]) | null {
  const comment = HASH_COMMENT_FILES.test(path)
    ? "#.*"
    : DASH_COMMENT_FILES.test(path)
      ? "--.*"
      : SLASH_COMMENT_FILES.test(path)
        ? "\\/\\/.*|\\/\\*.*?(?:\\*\\/|$)"
        : null;
  if (comment === null) return null;
  // Each alternative consumes a character and none backtracks, so the cost is linear.
  const parts = [
    `(?<comment>${comment})`,
    "(?<string>\"(?:[^\"\\\\]|\\\\.)*\"?|'(?:[^'\\\\]|\\\\.)*'?|`(?:[^`\\\\]|\\\\.)*`?)",
    "(?<number>\\b\\d[\\w.]*)",
    "(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)",
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
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  return KEYWORDS.has(text) ? "keyword" : "plain";
}
