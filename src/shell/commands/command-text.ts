import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { isMissingFile, errorText, readRegularFile } from "../system/files.ts";

/** Where the texts that a command names are read. Without it, every text is taken as typed. */
export interface TextSource {
  /** File names are relative to this folder. */
  readonly from: string;
  /** Reads standard input to its end, if the face has one. */
  readonly readInput?: (most: number) => Promise<Buffer | undefined>;
}

/** The longest request accepted: far more than any model takes. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** [C29] `-` is standard input, `@name` a file; every other text means itself. */
export async function readCommandText(typed: string, source: TextSource | undefined): Promise<Result<string>> {
  if (!source) return ok(typed);
  if (typed === "-") return readPipedText(source);
  return typed.startsWith("@") && typed.length > 1 ? readTextFile(typed, source.from) : ok(typed);
}

async function readPipedText({ readInput: read }: TextSource): Promise<Result<string>> {
  if (!read) {
    const hint = "name a file with @, or type the text";
    return failWith("missing_prompt", "-", "standard input is not available here", hint);
  }
  const bytes = await read(MAX_TEXT_BYTES);
  if (bytes) return decodeText(bytes, "-", "standard input");
  const message = `standard input is longer than ${MAX_TEXT_BYTES / 1024 / 1024} MB`;
  return failWith("file_too_large", "-", message, "save it as a file and name the file");
}

function readTextFile(typed: string, from: string): Result<string> {
  const file = resolve(from, typed.slice(1));
  try {
    return decodeText(readRegularFile(file, MAX_TEXT_BYTES), typed, `the file ${file}`);
  } catch (thrown) {
    const shown = oneLine(typed, 80);
    if (!isMissingFile(thrown))
      return failWith("unreadable_file", shown, `${file} cannot be read: ${errorText(thrown)}`);
    // A sentence that begins with "@" names no file.
    if (/\s/.test(typed)) return ok(typed);
    const hint = `write a text that begins with "@" after "--": -- ${shown}`;
    return failWith("missing_file", shown, `there is no file ${file}`, hint);
  }
}

function decodeText(bytes: Buffer, typed: string, what: string): Result<string> {
  if (!isUtf8(bytes)) return failWith("invalid_utf8", typed, `${what} is not UTF-8 text`, "convert it first");
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  return text.trim() === "" ? failWith("missing_prompt", typed, `${what} is empty`, "write what to do") : ok(text);
}

export function firstWord(text: string): string {
  return text.trim().split(/\s/)[0] ?? "";
}
