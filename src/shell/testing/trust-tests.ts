import { createHash } from "node:crypto";
import { dirname, relative, resolve, sep } from "node:path";
import { readJsonFile, sortKeys } from "../config/config-file.ts";
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
import type { Json } from "../../core/model/json.ts";
import { TESTS_FOLDER, findTests, type FoundTest } from "./find-tests.ts";

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
