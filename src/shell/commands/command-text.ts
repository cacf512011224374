import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { isMissingFile, errorText } from "../system/system-error.ts";
import { readRegularFile } from "../system/files.ts";

/** Where the texts that a command names are found. A face without it takes every text as it was typed. */
export interface TextSource {
  /** What file names are relative to. */
  readonly from: string;
  /** Standard input to its end, where a face has one. */
  readonly readInput?: (most: number) => Promise<Buffer | undefined>;
}

/** The longest request that is read: far more than any model takes. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** [C29] `-` is standard input, `@name` a file; every other text means itself. */
export async function readCommandText(typed: string, source: TextSource | undefined): Promise<Result<string>> {
  if (!source) return ok(typed);
  if (typed === "-") return readPipedText(source);
  return typed.startsWith("@") && typed.length > 1 ? readTextFile(typed, source.from) : ok(typed);
}

async function readPipedText({ readInput: read }: TextSource): Promise<Result<string>> {
  if (!read)
    return fail(
      error("missing_prompt", "-", "there is no standard input here", "name a file with @, or type the text"),
    );
  const bytes = await read(MAX_TEXT_BYTES);
  return bytes === undefined
    ? fail(
        error(
          "file_too_large",
          "-",
          `standard input is longer than ${MAX_TEXT_BYTES / 1024 / 1024} MB`,
          "name the files in it",
        ),
      )
    : decodeText(bytes, "-", "standard input");
}

function readTextFile(typed: string, from: string): Result<string> {
  const file = resolve(from, typed.slice(1));
  try {
    return decodeText(readRegularFile(file, MAX_TEXT_BYTES), typed, `the file ${file}`);
  } catch (thrown) {
    // A sentence that begins so names nobody's file.
    if (isMissingFile(thrown) && /\s/.test(typed)) return ok(typed);
    return fail(isMissingFile(thrown) ? missingFileIssue(typed, file) : unreadableFileIssue(typed, file, thrown));
  }
}

function decodeText(bytes: Buffer, typed: string, what: string): Result<string> {
  if (!isUtf8(bytes)) return fail(error("invalid_utf8", typed, `${what} is not UTF-8 text`, "convert it first"));
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  return text.trim() === ""
    ? fail(error("missing_prompt", typed, `${what} is empty`, "say what is to be done"))
    : ok(text);
}

function missingFileIssue(typed: string, file: string): Issue {
  const shown = oneLine(typed, 80);
  const hint = `a text that begins with "@" as it stands goes behind "--": materia cast -- ${shown}`;
  return error("missing_file", shown, `there is no file ${file}`, hint);
}

function unreadableFileIssue(typed: string, file: string, thrown: unknown): Issue {
  return error("unreadable_file", oneLine(typed, 80), `${file} cannot be read: ${errorText(thrown)}`);
}

export function firstWord(text: string): string {
  return text.trim().split(/\s/)[0] ?? "";
}
