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
import type { ReviewProblem } from "../../core/view/issues.ts";
import { answer, type CommandOutput, type CommandResult } from "./command-output.ts";
import { applyEdits, modify } from "jsonc-parser";
import { type UnmetExpectation, fullExpectation } from "../../core/testing/expectations.ts";

/** [T3] Runs tests and reports them; exit 1 if one failed or coverage is too low. */
export async function runTestCommand(
  workspace: Workspace,
  command: TestCommand,
  // File names are relative to `from`.
  { from, signal = new AbortController().signal }: { readonly from: string; readonly signal?: AbortSignal },
): CommandResult {
  const found = findTests(command.paths, { from, cwd: workspace.place.cwd });
  if (!found.ok) return found;
  const trusted = trustWorkspaceFor(found.value, workspace, command);
  if (!trusted.ok) return trusted;
  const results = await runTests(found.value, { workspace: trusted.value, signal });
  const tests = results.map((result, index): TestReport => {
    const test = found.value[index]?.test;
    const isBlank = test !== undefined && Object.keys(test.expect).length === 0;
    const kept = { updated: false, failures: result.failures };
    const { updated, failures } = command.update ? updateExpectations(result, isBlank) : kept;
    return { file: relative(from, result.file), ok: failures.length === 0, failures, ms: result.ms, updated };
  });
  const covered = results.flatMap(({ run }) => run?.covered ?? []);
  const coverage = measureCoverage([...covered, ...untestedLoadouts(command, trusted.value, covered)]);
  if (command.junit !== undefined) {
    const low = lowCoverageReports(coverage, command.minCoverage);
    const file = resolve(from, command.junit);
    try {
      writeFileSync(file, junitText([...tests, ...low]));
    } catch (thrown) {
      return fail({ ...error("write_failed", "--junit", `it cannot be written: ${errorText(thrown)}`), file });
    }
  }
  return testOutput(tests, coverage, command);
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

/** [T7] If all tests of a project run, a project loadout that no test casts has no coverage. */
function untestedLoadouts(
  { paths }: TestCommand,
  { catalog }: Workspace,
  covered: readonly CoveredRun[],
): readonly CoveredRun[] {
  if (paths.length > 0) return [];
  const cast = new Set(covered.map(({ loadout }) => loadout));
  return [...catalog.loadouts.values()].flatMap(({ name, layer }) => {
    if (layer !== "project" || cast.has(name)) return [];
    const compiled = compileTargets([{ kind: "loadout", name }], catalog);
    return compiled.ok ? [{ loadout: name, graph: compiled.value.graph, flow: compiled.value.flow, events: [] }] : [];
  });
}

function testOutput(
  tests: readonly TestReport[],
  coverage: ReturnType<typeof measureCoverage>,
  { minCoverage }: TestCommand,
): Result<CommandOutput> {
  const low = lowCoverageReports(coverage, minCoverage);
  const findings = (): readonly ReviewProblem[] =>
    tests.flatMap(({ file, failures }) =>
      failures.map(({ what, expected, got }) => {
        const message = `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
        return { severity: "error", code: "test_failed", message, file };
      }),
    );
  const rows = tests.map(({ file, ok: passed, failures }) => ({
    file,
    ok: passed,
    failures: failures.map(({ what, expected, got, where }) => ({ what, expected, got, where })),
  }));
  return answer(
    { tests: rows, coverage },
    (width) => [...testLines(tests, width), ...coverageLines(coverage, minCoverage)],
    { code: low.length > 0 || tests.some((each) => !each.ok) ? 1 : 0, findings },
  );
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
