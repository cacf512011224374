import { resolve } from "node:path";
import { validate } from "../../../core/catalog/validate.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { Rehearsal } from "../../../core/model/rehearsal.ts";
import { parseJson, readJsonFile } from "../../config/json-file.ts";

/** The file in which a cast keeps replies that came with its command. */
export const REHEARSAL_FILE = "rehearsal.json";

/** [A14] The replies of a file, or every fault with its place. */
export function readRehearsalFile(cwd: string, name: string): Result<Rehearsal> {
  const file = resolve(cwd, name);
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such rehearsal file"), file });
  return raw.ok ? validateRehearsal(file, raw.value) : raw;
}

/** Replies that came with the command of a cast: they stand in its own folder, wherever that is now. */
export function parseRehearsalText(file: string, text: string): Result<Rehearsal> {
  const raw = parseJson(file, text);
  return raw.ok ? validateRehearsal(file, raw.value) : raw;
}

function validateRehearsal(file: string, raw: unknown): Result<Rehearsal> {
  const { value, issues } = validate(Rehearsal, raw, []);
  return value === undefined ? fail(...issues.map((issue) => ({ ...issue, file }))) : ok(value);
}
