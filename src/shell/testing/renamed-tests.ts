import { statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { validate } from "../../core/catalog/validate.ts";
import { compile } from "../../core/compile/targets/compile.ts";
import { socketsOf } from "../../core/compile/graph.ts";
import { parseJsonc } from "../../core/edit/text/parse.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { withCastRenamed, withVisitsRenamed } from "../../core/testing/record/renamed.ts";
import { TestFile } from "../../core/testing/test-file.ts";
import type { NamingTests, Rename } from "../../core/wire/testing.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import { projectConfigFile } from "../config/config.ts";
import { readConfigText, writeConfigText } from "../config/config-text.ts";
import { TESTS_FOLDER, testFiles } from "./find-tests.ts";
import { castTargets } from "./run-test.ts";

type NamingTest = NamingTests["tests"][number];

interface Renaming extends NamingTest {
  /** What it would say. */
  readonly text: string;
}

/** [E31] The tests of the project that still say the name that something had. Nothing is written. */
export function testsNaming(workspace: Workspace, rename: Rename): readonly NamingTest[] {
  return renamings(workspace, rename).map(({ file, etag, places }) => ({ file, etag, places }));
}

/** [E31] Writes the new name into those that were seen; where one of them is another by now, into none. */
export function renameInTestFiles(
  workspace: Workspace,
  rename: Rename,
  seen: readonly Pick<NamingTest, "file" | "etag">[],
): Result<readonly NamingTest[]> {
  const found = renamings(workspace, rename);
  const { cwd } = workspace.place;
  const meant = seen.map(({ file, etag }) => found.find((each) => each.file === file && each.etag === etag));
  const gone = seen.filter((_, index) => meant[index] === undefined);
  const hint = "look at them again";
  if (gone.length > 0)
    return fail(...gone.map(({ file }) => error("changed", file, `${file} has changed since it was seen`, hint)));
  for (const each of meant.filter((one) => one !== undefined)) {
    const written = writeConfigText(resolve(cwd, each.file), each.text, { root: cwd, isNew: false });
    if (!written.ok) return written;
  }
  return ok(testsNaming(workspace, rename));
}

function renamings({ place: { cwd }, catalog }: Workspace, rename: Rename): readonly Renaming[] {
  const folder = join(cwd, TESTS_FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return testFiles(folder).flatMap((path) => {
    const read = readConfigText(path);
    const test = read.ok ? testIn(read.value.text) : undefined;
    if (!read.ok || !test || !isOfProject(test, path, cwd)) return [];
    const { text, places } = renamed(read.value.text, rename, catalog);
    const file = relative(cwd, path).replaceAll(sep, "/");
    return places.length === 0 ? [] : [{ file, etag: read.value.etag, places: [...places], text }];
  });
}

function testIn(text: string): TestFile | undefined {
  const read = parseJsonc(text);
  return read.ok ? validate(TestFile, read.value.value, [], "refused").value : undefined;
}

/** [T9] A test with a configuration of its own sees nothing of the project's. */
function isOfProject({ config }: TestFile, path: string, cwd: string): boolean {
  return config === undefined || resolve(dirname(path), config) === projectConfigFile(cwd);
}

function renamed(text: string, rename: Rename, catalog: Catalog) {
  const cast = withCastRenamed(text, rename);
  const test = testIn(cast.text);
  if (rename.kind === "loadout" || !test || !isSeatedIn(test, rename, catalog)) return cast;
  const visits = withVisitsRenamed(cast.text, rename);
  return { text: visits.text, places: [...cast.places, ...visits.places] };
}

/** A graph that still holds one of the old name, such as a bundled one, means that one. */
function isSeatedIn(test: TestFile, { was }: Rename, catalog: Catalog): boolean {
  const compiled = compile(castTargets(test.cast, catalog), catalog);
  return !compiled.ok || !socketsOf(compiled.value.graph).some(({ materia }) => materia === was);
}
