import { dirname, join, resolve, basename, relative, sep } from "node:path";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastStep } from "../../core/cast/timeline.ts";
import { limitHitIn } from "../../core/cast/limits.ts";
import { parseTarget, type TargetRef } from "../../core/command/command.ts";
import { buildFlow } from "../../core/compile/flow.ts";
import { ok, type Issue, type Result } from "../../core/model/issue.ts";
import type { CoveredRun } from "../../core/history/way-names.ts";
import { mergeItemEvents } from "../../core/cast/simulate.ts";
import {
  checkExpectations,
  type UnmetExpectation,
  type ObservedCast,
  type TurnPrompt,
} from "../../core/testing/expectations.ts";
import { findUnknownReplyKeys, findRehearsalMistakes, type RehearsalUsage } from "../../core/cast/rehearsal-usage.ts";
import type { TestReport } from "../../core/testing/report.ts";
import type { TestCast } from "../../core/testing/test-file.ts";
import type { RunContext, RunObserver } from "../context/run-context.ts";
import { exitCodeFor } from "../casting/prepared-cast.ts";
import { prepareResume, type Resumption } from "../casting/resume-cast.ts";
import { prepareCast } from "../casting/start-cast.ts";
import { loadWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { AgentHost } from "../ports.ts";
import { fileStore } from "../store/files/file-store.ts";
import { errorText, MAX_FILE_BYTES, readRegularFileText, valueOr } from "../system/files.ts";
import type { FoundTest } from "./find-tests.ts";
import { availableParallelism, tmpdir } from "node:os";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { commitAllFiles } from "../git/new-repository.ts";

export interface TestResult extends Omit<TestReport, "updated"> {
  readonly run?: TestRun;
}

interface TestRun {
  readonly observed: ObservedCast;
  readonly covered?: CoveredRun;
}

interface TestContext {
  /** The project whose configuration is tested; it is trusted. */
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** [T8] Runs one test in its own scratch folder. Never throws: every problem is a failure of the test. */
async function runTest(found: FoundTest, place: TestContext): Promise<TestResult> {
  const started = performance.now();
  const done = (failures: readonly UnmetExpectation[], run?: TestRun): TestResult => ({
    file: found.file,
    ok: failures.length === 0,
    failures,
    ms: performance.now() - started,
    ...(run ? { run } : {}),
  });
  const { seed, git } = found.test.cast;
  try {
    const scratch = openScratchFolder(seed === undefined ? undefined : resolve(dirname(found.file), seed), git);
    try {
      const played = await playTest(found, place, scratch);
      if (!played.ok) return done(played.issues.map(refusedExpectation));
      const { failures, ...run } = played.value;
      return done(failures, run);
    } finally {
      scratch.remove();
    }
  } catch (thrown) {
    return done([{ what: "cast", expected: "a cast", got: errorText(thrown), where: seed ?? found.file }]);
  }
}

function refusedExpectation({ message, hint, path }: Issue): UnmetExpectation {
  const got = hint === undefined ? message : `${message} (${hint})`;
  return { what: "cast", expected: "a cast", got, where: path.join(".") };
}

type PlayedTest = TestRun & Pick<TestResult, "failures">;

async function playTest(found: FoundTest, place: TestContext, scratch: ScratchFolder): Promise<Result<PlayedTest>> {
  const { test } = found;
  const opened = openTestWorkspace(found, place.workspace, scratch);
  if (!opened.ok) return opened;
  const workspace = opened.value;
  const { createRehearsalHost: rehearsalHost } = await import("../agents/rehearsal-host.ts");
  const turns: TurnPrompt[] = [];
  const host = recordingHost(rehearsalHost(test), turns);
  const own: CastEvent[] = [];
  const ofItems = new Map<string, CastEvent[]>();
  const agents = { openReal: async () => host };
  const observer: RunObserver & Pick<RunContext, "clock"> = {
    signal: place.signal,
    clock: createSkippingClock(),
    onSteps: (steps: readonly CastStep[]) => void own.push(...steps.map(({ event }) => event)),
    onItemSteps: (steps: readonly CastStep[]) => {
      for (const { event, after } of steps) ofItems.set(after.castId, [...(ofItems.get(after.castId) ?? []), event]);
    },
  };
  const { link, loadout = workspace.catalog.settings.activeLoadout.value } = test.cast;
  const targets: readonly TargetRef[] = link ? link.map(parseTarget) : [{ kind: "loadout", name: loadout }];
  const ready = await prepareCast(workspace, { targets, prompt: test.cast.request }, agents);
  if (!ready.ok) return ready;
  let end = await ready.value.run(observer);
  let answered = 0;
  for (; end.ok && answered < test.cast.answers.length; answered += 1) {
    const how = resumptionFor(test.cast.answers[answered]);
    const isStopped = how.kind === "recast" ? limitHitIn(end.value.state.phase) !== null : end.value.kind === "waiting";
    if (!isStopped) break;
    const asked = { castId: end.value.state.castId, how, by: "materia test", trustsCast: true };
    const again = await prepareResume(workspace, asked, agents);
    end = again.ok ? await again.value.run(observer) : again;
  }
  if (!end.ok) return end;
  const { state } = end.value;
  const events = mergeItemEvents(own, ofItems);
  const files = new Map(Object.keys(test.expect.files ?? {}).map((name) => [name, readInside(scratch.work, name)]));
  const observed: ObservedCast = { state, events, exitCode: exitCodeFor(end.value), turns, files };
  const failures = [
    ...(end.value.kind === "broken"
      ? [{ what: "cast", expected: "a cast", got: end.value.problem, where: "the disk" }]
      : []),
    ...checkExpectations(test.expect, observed),
    ...rehearsalFailures(host.rehearsalUsage?.(), observed),
    ...unusedAnswers(test.cast, answered),
  ];
  const [only, ...others] = targets;
  const covered =
    only?.kind === "loadout" && others.length === 0
      ? { loadout: only.name, graph: state.graph, flow: buildFlow(state.graph), events }
      : undefined;
  return ok({ observed, failures, ...(covered ? { covered } : {}) });
}

/** [T9] The bundled materia and the project's configuration, or the one that the test names; not the user's. */
function openTestWorkspace(
  { file, test }: FoundTest,
  { place }: Workspace,
  { work, config }: ScratchFolder,
): Result<Workspace> {
  const named = test.config === undefined ? undefined : resolve(dirname(file), test.config);
  const env = { ...place.env, XDG_CONFIG_HOME: config, MATERIA_CONFIG: named };
  const root = join(work, ".pi", "pi-materia");
  const opened = loadWorkspace({ ...place, env, cwd: named === undefined ? place.cwd : config }, root);
  if (!opened.ok) return opened;
  return ok({
    ...opened.value,
    place: { ...place, env, cwd: work },
    root,
    store: fileStore(root),
    trust: { kind: "given" },
  });
}

/** [T49] A wait moves the clock and takes no time. */
function createSkippingClock(): NonNullable<RunContext["clock"]> {
  let skipped = 0;
  return { now: () => new Date(Date.now() + skipped), pause: async (ms) => void (skipped += ms) };
}

function resumptionFor(answer: TestCast["answers"][number] | undefined): Resumption {
  if (typeof answer === "string") return { kind: "answer", text: answer };
  if (typeof answer !== "object") return { kind: "finish" };
  return "allow" in answer ? { kind: "recast", allow: answer.allow } : { kind: "reject", text: answer.reject };
}

function recordingHost(host: AgentHost, turns: TurnPrompt[]): AgentHost {
  return {
    ...host,
    runTurn: (request) => {
      const { socket, materia, visit, system, prompt } = request;
      turns.push({ socket, materia, visit, text: `${system}\n\n${prompt}` });
      return host.runTurn({ ...request, isEnvironmentCurated: true });
    },
  };
}

function rehearsalFailures(played: RehearsalUsage | undefined, { state }: ObservedCast): readonly UnmetExpectation[] {
  if (!played) return [];
  const slips = [...findUnknownReplyKeys(played, state.graph), ...findRehearsalMistakes(played, state.graph)];
  return slips.map(({ what, at, message }) => {
    const where = `replies.${at}`;
    return { what: where, expected: SLIP_EXPECTATIONS[what], got: message, where };
  });
}

const SLIP_EXPECTATIONS = {
  key: "a materia or socket of the graph",
  "left over": "every reply to be asked for",
  tool: "calls that go as they are meant to",
} as const;

function unusedAnswers({ answers }: TestCast, answered: number): readonly UnmetExpectation[] {
  const more = answers.length - answered;
  if (more === 0) return [];
  return [{ what: "cast.answers", expected: answers.length, got: answered, where: "the cast waited no more" }];
}

/** Tests mostly wait for tools and programs. */
const MAX_PARALLEL_TESTS = Math.min(8, 2 * availableParallelism());

/** Runs several at once; results are in the order of their files. */
export async function runTests(tests: readonly FoundTest[], place: TestContext): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  const left = tests.entries();
  const work = async (): Promise<void> => {
    for (const [index, test] of left) results[index] = await runTest(test, place);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_TESTS }, work));
  return results;
}

type ScratchFolder = ReturnType<typeof openScratchFolder>;

/** [T8] A copy of the seed without its history and casts; throws when it cannot be created. */
function openScratchFolder(seed: string | undefined, git: boolean) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-test-")));
  const remove = (): void => rmSync(top, { recursive: true, force: true });
  try {
    // The second is an empty configuration folder of the user.
    const [work, config] = [join(top, "work"), join(top, "config")];
    mkdirSync(config);
    if (seed === undefined) mkdirSync(work);
    else cpSync(seed, work, { recursive: true, filter: (source) => isCopied(relative(seed, source)) });
    if (git)
      commitAllFiles(work, { name: "Materia Test", email: "test@example.invalid", message: "The seed of a test" });
    return { work, config, remove };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function isCopied(path: string): boolean {
  return basename(path) !== ".git" && path !== join(".pi", "pi-materia");
}

/** The text of a file; null for a missing file or one outside the folder. */
function readInside(folder: string, name: string): string | null {
  const path = valueOr(() => realpathSync(resolve(folder, name)), "");
  return path.startsWith(join(folder, sep))
    ? valueOr(() => readRegularFileText(path, MAX_FILE_BYTES.config), null)
    : null;
}
