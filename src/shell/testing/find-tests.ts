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
import { join, resolve, dirname, relative, sep } from "node:path";
import { validate } from "../../core/catalog/validate.ts";
import { isJsonObject, type Json } from "../../core/model/json.ts";
import { TestFile } from "../../core/testing/test-file.ts";
import { readJsonFile, sortKeys } from "../config/config-file.ts";
import { createHash } from "node:crypto";
import { digestCommandFiles } from "../config/command-files.ts";
import { projectConfigFile } from "../config/config.ts";
import {
  executableDigest,
  isDigestTrusted,
  listProgramsToTrust,
  rememberDigests,
  type ProgramsToTrust,
} from "../config/trust.ts";
import { realPathOrSame } from "../system/folders.ts";
import type { Workspace } from "../workspace/workspace.ts";

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

/**
 * [T47] The workspace of these tests. Its trust asks about the project's configuration, if a test uses it, and about every
 * test that brings programs and is not trusted as it is now.
 */
export function withTestTrust(workspace: Workspace, tests: readonly FoundTest[]): Workspace {
  const { place } = workspace;
  const usesProject = tests.some(({ test }) => test.config === undefined);
  const project = usesProject && workspace.trust.kind === "asked" ? workspace.trust : undefined;
  const asked = tests.flatMap((found) => programsOfTest(place.cwd, found) ?? []);
  const unknown = asked.filter(({ key, digest }) => !isDigestTrusted(place.env, key, digest));
  if (unknown.length === 0) return { ...workspace, trust: project ?? { kind: "given" } };
  const all = [...(project ? [project] : []), ...unknown];
  const digests = unknown.flatMap(({ key, digest }) => (digest === undefined ? [] : [[key, digest]]));
  return {
    ...workspace,
    trust: {
      kind: "asked",
      file: project?.file ?? resolve(place.cwd, TESTS_FOLDER),
      digest: project?.digest ?? null,
      commands: [...new Set(all.flatMap(({ commands }) => commands))],
      equipment: [...new Set(all.flatMap(({ equipment }) => equipment))],
      watched: [...new Set(all.flatMap(({ watched }) => watched))],
      tooLarge: [...new Set(all.flatMap(({ tooLarge }) => tooLarge))],
      remember: () => {
        project?.remember();
        rememberDigests(place.env, Object.fromEntries(digests));
      },
    },
  };
}

/** [T48] A test that was written from an own cast runs what the person has run before. */
export function trustRecordedTest(workspace: Workspace, file: string): void {
  const found = findTests([file], { from: workspace.place.cwd, cwd: workspace.place.cwd });
  if (!found.ok) return;
  const tests = found.value.map((each) => ({ ...each, isTyped: false }));
  const { trust } = withTestTrust({ ...workspace, trust: { kind: "given" } }, tests);
  if (trust.kind === "asked") trust.remember();
}

interface TestPrograms extends ProgramsToTrust {
  /** In the file of trust; no path of a project begins like this. */
  readonly key: string;
  /** Undefined if a part is too large to be watched. */
  readonly digest: string | undefined;
}

/** What a test runs that nobody named; undefined if there is nothing. */
function programsOfTest(cwd: string, { file, test, isTyped }: FoundTest): TestPrograms | undefined {
  const isBrought = !isTyped && isInside(cwd, file);
  const { expect: _expect, ...played } = test;
  const calls = Object.values(test.replies).flatMap((replies) => replies.flatMap(({ tools }) => tools));
  const seed = test.cast.seed === undefined ? undefined : resolve(dirname(file), test.cast.seed);
  const config = configOfTest(cwd, file, test.config);
  const own = config && listProgramsToTrust(config.folder, config.raw);
  const runsConfig = own !== undefined && own.commands.length + own.equipment.length > 0;
  if (!runsConfig && !(isBrought && (calls.length > 0 || seed !== undefined))) return undefined;
  // A program may run any file of the folder that it works in.
  const seeded = digestCommandFiles(cwd, seed === undefined ? [] : [`.${sep}${relative(cwd, seed)}`]);
  const isSeedWatched = seed === undefined || seeded.paths.length > 0;
  const tooLarge = [...seeded.tooLarge, ...(isSeedWatched ? [] : [seed]), ...(own?.tooLarge ?? [])];
  const programs = config && executableDigest(config.folder, config.raw);
  const content = JSON.stringify([sortKeys(JSON.parse(JSON.stringify(played)) as Json), programs, seeded.digest]); // it was JSON
  return {
    key: `test ${realPathOrSame(file)}`,
    digest: tooLarge.length > 0 ? undefined : createHash("sha256").update(content).digest("hex"),
    commands: [
      ...(isBrought ? calls.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`) : []),
      ...(own?.commands ?? []),
    ],
    equipment: own?.equipment ?? [],
    watched: [relative(cwd, file), ...seeded.paths, ...(own?.watched ?? [])],
    tooLarge,
  };
}

/** A configuration inside the project that a test names; the project's own is trusted by itself. */
function configOfTest(cwd: string, file: string, name: string | undefined) {
  const path = name === undefined ? undefined : resolve(dirname(file), name);
  if (path === undefined || !isInside(cwd, path) || path === projectConfigFile(cwd)) return undefined;
  const raw = readJsonFile(path);
  return raw?.ok ? { folder: dirname(path), raw: raw.value } : undefined;
}

function isInside(folder: string, path: string): boolean {
  return realPathOrSame(path).startsWith(`${realPathOrSame(resolve(folder))}${sep}`);
}
