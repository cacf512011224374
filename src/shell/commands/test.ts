import { writeFileSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { TestCommand } from "../../core/command/command.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { measureCoverage, type CoveredRun } from "../../core/history/way-names.ts";
import { junitText, coverageLines, lowCoverageReports, testLines, type TestReport } from "../../core/testing/report.ts";
import { asTrusted, trustIssue, type Workspace } from "../workspace/workspace.ts";
import { errorText } from "../system/files.ts";
import { findTests, type FoundTest, withTestTrust } from "../testing/find-tests.ts";
import { type TestResult, runTests } from "../testing/run-test.ts";
import type { CommandOutput, CommandResult } from "./command-output.ts";
import { applyEdits, modify } from "jsonc-parser";
import { type UnmetExpectation, fullExpectation } from "../../core/testing/expectations.ts";

interface TestCommandContext {
  /** File names are relative to this folder. */
  readonly from: string;
  readonly signal?: AbortSignal;
}

/** [T3] Runs tests and reports them; exit 1 if one failed or coverage is too low. */
export async function runTestCommand(
  workspace: Workspace,
  command: TestCommand,
  setting: TestCommandContext,
): CommandResult {
  const { from, signal = new AbortController().signal } = setting;
  const found = findTests(command.paths, { from, cwd: workspace.place.cwd });
  if (!found.ok) return found;
  const trusted = trustWorkspaceFor(found.value, workspace, command);
  if (!trusted.ok) return trusted;
  const results = await runTests(found.value, { workspace: trusted.value, signal });
  const tests = results.map((result, index) => reportTest(result, found.value[index], { from, command }));
  const coverage = measureCoverage([...coveredRuns(results), ...untestedLoadouts(command, trusted.value, results)]);
  if (command.junit !== undefined) {
    const low = lowCoverageReports(coverage, command.minCoverage);
    const problem = writeJunit(resolve(from, command.junit), [...tests, ...low]);
    if (problem) return problem;
  }
  return ok(testOutput(tests, coverage, command));
}

/** [T9, T47] Nothing that the project brings runs before a person has agreed. */
function trustWorkspaceFor(
  tests: readonly FoundTest[],
  workspace: Workspace,
  { trust }: TestCommand,
): Result<Workspace> {
  const asking = withTestTrust(workspace, tests);
  const issue = trust ? undefined : trustIssue(asking);
  if (issue) return fail(issue);
  const given = asTrusted(asking);
  if (trust) given.remember();
  return ok(given.workspace);
}

function reportTest(
  result: TestResult,
  found: FoundTest | undefined,
  { from, command }: { readonly from: string; readonly command: TestCommand },
): TestReport {
  const isBlank = found !== undefined && Object.keys(found.test.expect).length === 0;
  const { updated, failures } = command.update
    ? updateExpectations(result, isBlank)
    : { updated: false, failures: result.failures };
  return { file: relative(from, result.file), ok: failures.length === 0, failures, ms: result.ms, updated };
}

function coveredRuns(results: readonly TestResult[]): readonly CoveredRun[] {
  return results.flatMap(({ run }) => run?.covered ?? []);
}

/** [T7] If all tests of a project run, a project loadout that no test casts has no coverage. */
function untestedLoadouts(
  { paths }: TestCommand,
  { catalog }: Workspace,
  results: readonly TestResult[],
): readonly CoveredRun[] {
  if (paths.length > 0) return [];
  const cast = new Set(coveredRuns(results).map(({ loadout }) => loadout));
  return [...catalog.loadouts.values()].flatMap(({ name, layer }) => {
    if (layer !== "project" || cast.has(name)) return [];
    const compiled = compileTargets([{ kind: "loadout", name }], catalog);
    return compiled.ok ? [{ loadout: name, graph: compiled.value.graph, flow: compiled.value.flow, events: [] }] : [];
  });
}

function writeJunit(file: string, tests: readonly TestReport[]): Result<never> | undefined {
  try {
    writeFileSync(file, junitText(tests));
    return undefined;
  } catch (thrown) {
    return fail({ ...error("write_failed", "--junit", `it cannot be written: ${errorText(thrown)}`), file });
  }
}

function testOutput(
  tests: readonly TestReport[],
  coverage: ReturnType<typeof measureCoverage>,
  { minCoverage }: TestCommand,
): CommandOutput {
  const low = lowCoverageReports(coverage, minCoverage);
  return {
    code: low.length > 0 || tests.some((each) => !each.ok) ? 1 : 0,
    findings: () =>
      tests.flatMap(({ file, failures }) =>
        failures.map(({ what, expected, got }) => ({
          severity: "error" as const,
          code: "test_failed",
          message: `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`,
          file,
        })),
      ),
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

const JSON_FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** [T11] Writes the observed values in place of the expected ones; comments stay. Returns what is still wrong. */
function updateExpectations(
  result: TestResult,
  isBlank: boolean,
): { readonly updated: boolean; readonly failures: readonly UnmetExpectation[] } {
  const { file, failures, run } = result;
  const written = failures.filter(({ keys }) => keys !== undefined);
  const whole = isBlank && run ? fullExpectation(run.observed) : undefined;
  if (!whole && written.length === 0) return { updated: false, failures };
  const before = readFileSync(file, "utf8");
  const edits: readonly { readonly keys: readonly string[]; readonly value: unknown }[] = whole
    ? [{ keys: [], value: whole }]
    : written.map(({ keys = [], got }) => ({ keys, value: got }));
  const after = edits.reduce(
    (text, { keys, value }) => applyEdits(text, modify(text, ["expect", ...keys], value, JSON_FORMAT)),
    before,
  );
  writeFileSync(file, after);
  return { updated: after !== before, failures: failures.filter(({ keys }) => keys === undefined) };
}
