import { failWith, ok, type Result } from "../model/issue.ts";

export interface CommandWords {
  readonly words: readonly CommandWord[];
  readonly tail?: string;
}

export interface CommandWord {
  readonly text: string;
  /** A word that begins with a quotation mark is never an option and never the `--` that ends the targets. */
  readonly quoted: boolean;
}

/** Words up to the first `--` or the start of plain text. Quotes keep a word together; there are no escapes. */
export function splitWords(
  text: string,
  isText: (words: readonly CommandWord[], rest: string) => boolean,
): Result<CommandWords> {
  const words: CommandWord[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    if (isText(words, text.slice(at))) return ok({ words, tail: text.slice(at) });
    const word = readWord(text, at);
    if (word === undefined) {
      const hint = "close it, or use the other kind of quotation mark around it";
      return failWith("unclosed_quote", text.slice(at, at + 20), "a quotation mark is never closed", hint);
    }
    words.push({ text: word.text, quoted: word.quoted });
    // One white space separates the delimiter from the prompt; the rest belongs to the prompt.
    if (word.text === "--" && !word.quoted) return ok({ words, tail: text.slice(word.end + 1) });
    at = skipSpace(text, word.end);
  }
  return ok({ words });
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

function readWord(text: string, start: number): (CommandWord & { readonly end: number }) | undefined {
  let word = "";
  let quoted = false;
  let at = start;
  while (at < text.length && !/\s/.test(text.charAt(at))) {
    const character = text.charAt(at);
    if (character !== '"' && character !== "'") {
      word += character;
      at += 1;
      continue;
    }
    const close = text.indexOf(character, at + 1);
    if (close === -1) return undefined;
    word += text.slice(at + 1, close);
    // `--loadout="My Loadout"` is an option; `-"-"` is not.
    quoted ||= at < start + 2;
    at = close + 1;
  }
  return { text: word, quoted, end: at };
}

export function quoteWord(text: string): string {
  if (/^[^\s'"-][^\s'"]*$/.test(text)) return text;
  const pieces = text.split(/(")/).filter((piece) => piece !== "");
  return pieces.length === 0 ? '""' : pieces.map((piece) => (piece === '"' ? `'"'` : `"${piece}"`)).join("");
}
