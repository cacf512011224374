import { resolve } from "node:path";
import { validate } from "../../core/catalog/validate.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { Rehearsal } from "../../core/model/rehearsal.ts";
import { readJsonFile } from "../config/json-file.ts";

/** [A14] The replies of a file, or every fault with its place. */
export function readRehearsal(cwd: string, name: string): Result<Rehearsal> {
  const file = resolve(cwd, name);
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such rehearsal file"), file });
  if (!raw.ok) return raw;
  const { value, issues } = validate(Rehearsal, raw.value, []);
  return value === undefined ? fail(...issues.map((issue) => ({ ...issue, file }))) : ok(value);
}
