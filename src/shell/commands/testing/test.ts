import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { TestCommand } from "../../../core/command/command.ts";
import { compile } from "../../../core/compile/targets/compile.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { coverageOf, percentOf, type CoveredRun } from "../../../core/testing/coverage.ts";
import { junitText } from "../../../core/testing/told/junit.ts";
import { coverageLines, testLines, type ToldTest } from "../../../core/testing/told/report.ts";
import { trustGiven, trustIssue, type Workspace } from "../../casting/workspace/workspace.ts";
import { problemText } from "../../system/problem.ts";
import { findTests, type FoundTest } from "../../testing/find-tests.ts";
import type { TestResult } from "../../testing/run-test.ts";
import { runTests } from "../../testing/run-tests.ts";
import { updateTest } from "../../testing/update.ts";
import type { Answer } from "../answer/answer.ts";

interface TestSetting {
  /** What file names are relative to. */
  readonly from: string;
  readonly signal?: AbortSignal;
}

/** [T3] Runs tests and tells of them; exit 1 where one failed or a graph is not covered enough. */
export async function testLoadouts(
  workspace: Workspace,
  command: TestCommand,
  setting: TestSetting,
): Promise<Result<Answer>> {
  const { from, signal = new AbortController().signal } = setting;
  const found = findTests(command.paths, { from, cwd: workspace.place.cwd });
  if (!found.ok) return found;
  const trusted = trustedFor(found.value, workspace, command);
  if (!trusted.ok) return trusted;
  const results = await runTests(found.value, { workspace: trusted.value, signal });
  const tests = results.map((result, index) => told(result, found.value[index], { from, command }));
  if (command.junit !== undefined) {
    const problem = writeJunit(resolve(from, command.junit), tests);
    if (problem) return problem;
  }
  return ok(answerOf(tests, coverageOf([...ran(results), ...untested(command, trusted.value, results)]), command));
}

/** [T9] What a test names itself was named with the test; the project's own configuration has to be trusted. */
function trustedFor(tests: readonly FoundTest[], workspace: Workspace, { trust }: TestCommand): Result<Workspace> {
  const usesProject = tests.some((each) => each.test.config === undefined);
  const issue = usesProject && !trust ? trustIssue(workspace) : undefined;
  if (issue) return fail(issue);
  const given = trustGiven(workspace);
  if (trust) given.remember();
  return ok(given.workspace);
}

function told(
  result: TestResult,
  found: FoundTest | undefined,
  { from, command }: { readonly from: string; readonly command: TestCommand },
): ToldTest {
  const isBlank = found !== undefined && Object.keys(found.test.expect).length === 0;
  const { updated, failures } = command.update
    ? updateTest(result, isBlank)
    : { updated: false, failures: result.failures };
  return { file: relative(from, result.file), ok: failures.length === 0, failures, ms: result.ms, updated };
}

function ran(results: readonly TestResult[]): readonly CoveredRun[] {
  return results.flatMap(({ run }) => run?.covered ?? []);
}

/** [T7] Where all tests of a project run, a loadout of its own that none of them casts is not covered at all. */
function untested(
  { paths }: TestCommand,
  { catalog }: Workspace,
  results: readonly TestResult[],
): readonly CoveredRun[] {
  if (paths.length > 0) return [];
  const cast = new Set(ran(results).map(({ loadout }) => loadout));
  return [...catalog.loadouts.values()].flatMap(({ name, layer }) => {
    if (layer !== "project" || cast.has(name)) return [];
    const compiled = compile([{ kind: "loadout", name }], catalog);
    return compiled.ok ? [{ loadout: name, graph: compiled.value.graph, flow: compiled.value.flow, events: [] }] : [];
  });
}

function writeJunit(file: string, tests: readonly ToldTest[]): Result<never> | undefined {
  try {
    writeFileSync(file, junitText(tests));
    return undefined;
  } catch (thrown) {
    return fail({ ...error("cannot_write", "--junit", `it cannot be written: ${problemText(thrown)}`), file });
  }
}

function answerOf(
  tests: readonly ToldTest[],
  coverage: ReturnType<typeof coverageOf>,
  { minCoverage }: TestCommand,
): Answer {
  const low = Object.values(coverage).some((each) => minCoverage !== undefined && percentOf(each) < minCoverage);
  return {
    code: low || tests.some((each) => !each.ok) ? 1 : 0,
    data: {
      tests: tests.map(({ file, ok: passed, failures }) => ({
        file,
        ok: passed,
        failures: failures.map(({ what, expected, got, where }) => ({ what, expected, got, where })),
      })),
      coverage,
    },
    lines: (width) => [...testLines(tests, width), ...coverageLines(coverage, minCoverage)],
  };
}
