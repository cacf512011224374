import { statSync } from "node:fs";
import { parseJsonc } from "../../core/edit/text/parse.ts";
import { error, fail, failAll, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { depthExceeds } from "../../core/model/values/json.ts";
import { isMissingFile, errorText } from "../system/problem.ts";
import { MAX_FILE_BYTES, readRegularText } from "../system/regular-file.ts";

const MAX_BYTES = MAX_FILE_BYTES.config;
const MAX_DEPTH = 100;

/** A JSON file with comments and trailing commas, or what is wrong with it and where. `undefined` when there is none. */
export function readJsonFile(file: string): Result<unknown> | undefined {
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) {
      const message = `the file is ${(size / 1024 / 1024).toFixed(1)} MB long; more than ${MAX_BYTES / 1024 / 1024} MB is not read`;
      return failAt(file, error("file_too_large", "", message, "split it, or name another file"));
    }
    text = readRegularText(file, MAX_BYTES);
  } catch (thrown) {
    if (isMissingFile(thrown)) return undefined;
    return failAt(file, error("unreadable_file", "", `the file cannot be read: ${errorText(thrown)}`));
  }
  return parseJson(file, text);
}

/** The value of a text that was read from `file`, or every fault with its line and column. */
export function parseJson(file: string, written: string): Result<unknown> {
  // Some editors begin a file with a mark that is no part of it.
  const text = written.replace(/^\ufeff/, "");
  const value = parseJsonOrJsonc(file, text);
  if (!value.ok || !depthExceeds(value.value, MAX_DEPTH)) return value;
  return failAt(file, error("bad_json", "", `the file is nested more than ${MAX_DEPTH} levels deep`));
}

function parseJsonOrJsonc(file: string, text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text));
  } catch {
    // Comments, trailing commas or a fault: the slower reader knows all three and where they stand.
  }
  if (text.trim() === "") {
    const hint = 'begin with { "materia": {}, "loadouts": {} }';
    return failAt(file, error("bad_json", "line 1, column 1", "the file is empty", hint));
  }
  try {
    const read = parseJsonc(text);
    return read.ok ? ok(read.value.value) : failAll(read.issues.map((issue) => ({ ...issue, file })));
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return failAt(file, error("bad_json", "", "the file is nested too deeply"));
  }
}

function failAt(file: string, issue: Issue): Result<never> {
  return fail({ ...issue, file });
}
