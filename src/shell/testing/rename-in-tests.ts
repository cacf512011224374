import { statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { validate } from "../../core/catalog/validate.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { socketsOf } from "../../core/compile/graph.ts";
import { parseJsonc } from "../../core/edit/json-edit.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { renameInTestCast, renameInTestVisits, TestFile } from "../../core/testing/test-file.ts";
import type { TestsWithOldName, NameChange } from "../../core/wire/catalog.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { projectConfigFile } from "../config/config.ts";
import { readConfigText, writeConfigText } from "../config/config-file.ts";
import { TESTS_FOLDER, listTestFiles } from "./find-tests.ts";
import { testTargets } from "./run-test.ts";

type NamingTest = TestsWithOldName["tests"][number];

interface TestRename extends NamingTest {
  /** The new text. */
  readonly text: string;
}

/** [E31] The tests of the project that still use the old name. Writes nothing. */
export function findTestsNaming(workspace: Workspace, rename: NameChange): readonly NamingTest[] {
  return planTestRenames(workspace, rename).map(({ file, etag, places }) => ({ file, etag, places }));
}

/** [E31] Writes the new name into these tests; into none if one of them has changed since. */
export function renameInTestFiles(
  workspace: Workspace,
  rename: NameChange,
  seen: readonly Pick<NamingTest, "file" | "etag">[],
): Result<readonly NamingTest[]> {
  const found = planTestRenames(workspace, rename);
  const { cwd } = workspace.place;
  const meant = seen.map(({ file, etag }) => found.find((each) => each.file === file && each.etag === etag));
  const gone = seen.filter((_, index) => meant[index] === undefined);
  const hint = "look at them again";
  if (gone.length > 0)
    return fail(...gone.map(({ file }) => error("file_changed", file, `${file} has changed since it was read`, hint)));
  for (const each of meant.filter((one) => one !== undefined)) {
    const written = writeConfigText(resolve(cwd, each.file), each.text, { root: cwd, isNew: false });
    if (!written.ok) return written;
  }
  return ok(findTestsNaming(workspace, rename));
}

function planTestRenames({ place: { cwd }, catalog }: Workspace, rename: NameChange): readonly TestRename[] {
  const folder = join(cwd, TESTS_FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return listTestFiles(folder).flatMap((path) => {
    const read = readConfigText(path);
    const test = read.ok ? parseTest(read.value.text) : undefined;
    if (
      !read.ok ||
      !test ||
      !(test.config === undefined || resolve(dirname(path), test.config) === projectConfigFile(cwd))
    )
      return [];
    const { text, places } = renameInText(read.value.text, rename, catalog);
    const file = relative(cwd, path).replaceAll(sep, "/");
    return places.length === 0 ? [] : [{ file, etag: read.value.etag, places: [...places], text }];
  });
}

function parseTest(text: string): TestFile | undefined {
  const read = parseJsonc(text);
  return read.ok ? validate(TestFile, read.value.value, [], "refused").value : undefined;
}

function renameInText(text: string, rename: NameChange, catalog: Catalog) {
  const cast = renameInTestCast(text, rename);
  const test = parseTest(cast.text);
  if (rename.kind === "loadout" || !test || !isOldNameGone(test, rename, catalog)) return cast;
  const visits = renameInTestVisits(cast.text, rename);
  return { text: visits.text, places: [...cast.places, ...visits.places] };
}

/** A graph that still contains the old name, such as a bundled one, refers to that one. */
function isOldNameGone(test: TestFile, { was }: NameChange, catalog: Catalog): boolean {
  const compiled = compileTargets(testTargets(test.cast, catalog), catalog);
  return !compiled.ok || !socketsOf(compiled.value.graph).some(({ materia }) => materia === was);
}
