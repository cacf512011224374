import {
  failWith,
  suggest,
  typed,
  collectResults,
  error,
  fail,
  failAll,
  ok,
  type Result,
} from "../../core/model/issue.ts";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { validate } from "../../core/catalog/validate.ts";
import { isJsonObject } from "../../core/model/json.ts";
import { TestFile } from "../../core/testing/test-file.ts";
import { readJsonFile } from "../config/config-file.ts";

/** The default folders of tests. */
export const TESTS_FOLDER = join(".pi", "tests");

export interface FoundTest {
  readonly file: string;
  readonly test: TestFile;
  /** Whether the person named this file itself. */
  readonly isTyped: boolean;
}

/** [T3] The named tests, or those of the project; reports every fault of every file at once. */
export function findTests(paths: readonly string[], { from, cwd }: { readonly from: string; readonly cwd: string }) {
  const places = paths.length === 0 ? [resolve(cwd, TESTS_FOLDER)] : paths.map((path) => resolve(from, path));
  const found = collectResults(places.map((place) => readTestsAt(place, paths.length > 0)));
  if (!found.ok) return found;
  const typedFiles = new Set(found.value.flat().flatMap(({ file, isTyped }) => (isTyped ? [file] : [])));
  const all = found.value.flat().map((test) => ({ ...test, isTyped: typedFiles.has(test.file) }));
  const tests = [...new Map(all.map((test) => [test.file, test])).values()];
  if (tests.length > 0) return ok<readonly FoundTest[]>(tests);
  const hint = suggest`a test is a rehearsal with "cast" and "expect"; ${typed`record`} writes one from a cast`;
  return failWith("missing_tests", places.join(", "), "there are no tests here", hint);
}

function readTestsAt(place: string, isNamed: boolean): Result<readonly FoundTest[]> {
  const kind = statSync(place, { throwIfNoEntry: false });
  if (!kind) return isNamed ? failWith("missing_file", place, "there is no such file or folder") : ok([]);
  if (!kind.isDirectory()) {
    const test = readTest(place, true);
    return test.ok ? ok([test.value]) : test;
  }
  return collectResults(listTestFiles(place).map((file) => readTest(file, false)));
}

/** A folder of tests also holds seeds and configurations. A broken file may be a test: report it. */
function listTestFiles(folder: string): readonly string[] {
  return jsonFiles(folder).filter((file) => {
    const raw = readJsonFile(file);
    return raw !== undefined && (!raw.ok || (isJsonObject(raw.value) && Object.hasOwn(raw.value, "expect")));
  });
}

/** [T1] One file, or all of its faults. */
function readTest(file: string, isTyped: boolean): Result<FoundTest> {
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such test"), file });
  if (!raw.ok) return raw;
  const { value, issues } = validate(TestFile, raw.value, [], "refused");
  return value === undefined
    ? failAll(issues.map((issue) => ({ ...issue, file })))
    : ok({ file, test: value, isTyped });
}

const MAX_FILES = 20_000;

function jsonFiles(folder: string): readonly string[] {
  const files: string[] = [];
  const open = [folder];
  for (let at = open.pop(); at !== undefined && files.length < MAX_FILES; at = open.pop())
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      // Packages, hidden folders and seeds contain no tests of this project.
      if (entry.isDirectory() && !/^node_modules$|^\.|\.seed$/.test(entry.name)) open.push(path);
      if (entry.isFile() && /\.jsonc?$/.test(entry.name)) files.push(path);
    }
  return files.toSorted();
}
