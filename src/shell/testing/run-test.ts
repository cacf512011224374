import { dirname, join, resolve } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastStep } from "../../core/cast/step.ts";
import { hitIn } from "../../core/cast/limits/limits.ts";
import { readTarget, type TargetRef } from "../../core/command/command.ts";
import { flowOf } from "../../core/compile/flow.ts";
import { ok, type Issue, type Result } from "../../core/model/issue.ts";
import type { CoveredRun } from "../../core/testing/coverage.ts";
import { withItems } from "../../core/testing/item-events.ts";
import { judge, type UnmetExpectation } from "../../core/testing/judge.ts";
import type { Observed, Told } from "../../core/testing/observed.ts";
import { keySlips, playSlips, type Played } from "../../core/testing/strict.ts";
import type { TestCast } from "../../core/testing/test-file.ts";
import type { Driver } from "../casting/drive/driver.ts";
import { exitCode } from "../casting/exit-code.ts";
import { prepareResume, resumeCast, type Resumption } from "../casting/resume.ts";
import { prepareCast, startCast } from "../casting/start.ts";
import { openWorkspace, type Workspace } from "../casting/workspace/workspace.ts";
import type { AgentHost } from "../ports.ts";
import type { RunEnd } from "../run/run-cast.ts";
import { fileStore } from "../store/files/file-store.ts";
import { problemText } from "../system/problem.ts";
import type { FoundTest } from "./find-tests.ts";
import { openScratch, type Scratch } from "./scratch.ts";
import { readFiles } from "./seen-files.ts";

/** What came of one test. */
export interface TestResult {
  readonly file: string;
  readonly ok: boolean;
  readonly failures: readonly UnmetExpectation[];
  readonly ms: number;
  /** The cast, where there was one. */
  readonly run?: TestRun;
}

interface TestRun {
  readonly observed: Observed;
  readonly covered?: CoveredRun;
}

export interface TestPlace {
  /** The project whose configuration is tested, trusted by now. */
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** [T8] One test in a scratch folder of its own. It never throws: what goes wrong is a failure of the test. */
export async function runTest(found: FoundTest, place: TestPlace): Promise<TestResult> {
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
    const scratch = openScratch(seed === undefined ? undefined : resolve(dirname(found.file), seed), git);
    try {
      const played = await play(found, place, scratch);
      if (!played.ok) return done(played.issues.map(refusal));
      const { observed, failures, covered } = played.value;
      return done(failures, { observed, ...(covered ? { covered } : {}) });
    } finally {
      scratch.remove();
    }
  } catch (thrown) {
    return done([{ what: "cast", expected: "a cast", got: problemText(thrown), where: seed ?? found.file }]);
  }
}

function refusal({ message, hint, path }: Issue): UnmetExpectation {
  const got = hint === undefined ? message : `${message} (${hint})`;
  return { what: "cast", expected: "a cast", got, where: path.join(".") };
}

interface PlayedTest extends TestRun {
  readonly failures: readonly UnmetExpectation[];
}

async function play(found: FoundTest, place: TestPlace, scratch: Scratch): Promise<Result<PlayedTest>> {
  const { test } = found;
  const opened = openTested(found, place.workspace, scratch);
  if (!opened.ok) return opened;
  const workspace = opened.value;
  const { rehearsalHost } = await import("../agents/rehearsal.ts");
  const turns: Told[] = [];
  const host = listening(rehearsalHost(test), turns);
  const own: CastEvent[] = [];
  const ofItems = new Map<string, CastEvent[]>();
  const agents = { openReal: async () => host };
  const driver: Driver = {
    host,
    env: workspace.place.env,
    signal: place.signal,
    onSteps: (steps: readonly CastStep[]) => void own.push(...steps.map(({ event }) => event)),
    onItemSteps: (steps: readonly CastStep[]) => {
      for (const { event, after } of steps) ofItems.set(after.castId, [...(ofItems.get(after.castId) ?? []), event]);
    },
  };
  const targets = castTargets(test.cast, workspace.catalog);
  const ready = await prepareCast(workspace, { targets, prompt: test.cast.request }, agents);
  if (!ready.ok) return ready;
  let end = await startCast(workspace.store, ready.value.plan, driver);
  let answered = 0;
  for (; end.ok && answered < test.cast.answers.length; answered += 1) {
    const how = resumption(test.cast.answers[answered]);
    if (!suits(how, end.value)) break;
    const asked = { castId: end.value.state.castId, how, by: "materia test", trustsCast: true };
    const again = await prepareResume(workspace, asked, agents);
    end = again.ok ? await resumeCast(workspace.store, again.value.plan, driver) : again;
  }
  if (!end.ok) return end;
  const { state } = end.value;
  const events = withItems(own, ofItems);
  const files = readFiles(scratch.work, Object.keys(test.expect.files ?? {}));
  const observed: Observed = { state, events, exitCode: exitCode(end.value), turns, files };
  const failures = [
    ...brokenFailure(end.value),
    ...judge(test.expect, observed),
    ...slipFailures(host.played?.(), observed),
    ...leftAnswers(test.cast, answered),
  ];
  const [only, ...others] = targets;
  const covered =
    only?.kind === "loadout" && others.length === 0
      ? { loadout: only.name, graph: state.graph, flow: flowOf(state.graph), events }
      : undefined;
  return ok({ observed, failures, ...(covered ? { covered } : {}) });
}

/** [T9] The bundled materia and the project's own configuration, or the one that the test names; nothing of the user's. */
function openTested({ file, test }: FoundTest, { place }: Workspace, { work, config }: Scratch): Result<Workspace> {
  const named = test.config === undefined ? undefined : resolve(dirname(file), test.config);
  const env = { ...place.env, XDG_CONFIG_HOME: config, MATERIA_CONFIG: named };
  const root = join(work, ".pi", "pi-materia");
  const opened = openWorkspace({ ...place, env, cwd: named === undefined ? place.cwd : config }, root);
  if (!opened.ok) return opened;
  return ok({
    ...opened.value,
    place: { ...place, env, cwd: work },
    root,
    store: fileStore(root),
    trust: { kind: "given" },
  });
}

export function castTargets({ loadout, link }: TestCast, catalog: Catalog): readonly TargetRef[] {
  if (link) return link.map(readTarget);
  return [{ kind: "loadout", name: loadout ?? catalog.settings.activeLoadout.value }];
}

function resumption(answer: TestCast["answers"][number] | undefined): Resumption {
  if (typeof answer === "string") return { kind: "answer", text: answer };
  if (typeof answer !== "object") return { kind: "finish" };
  return "allow" in answer ? { kind: "recast", allow: answer.allow } : { kind: "reject", text: answer.reject };
}

/** Whether the cast stands so that this can be said to it. */
function suits({ kind }: Resumption, end: RunEnd): boolean {
  return kind === "recast" ? hitIn(end.state.phase) !== null : end.kind === "waiting";
}

function listening(host: AgentHost, turns: Told[]): AgentHost {
  return {
    ...host,
    runTurn: (request) => {
      const { socket, materia, visit, system, prompt } = request;
      turns.push({ socket, materia, visit, text: `${system}\n\n${prompt}` });
      return host.runTurn(request);
    },
  };
}

function brokenFailure(end: RunEnd): readonly UnmetExpectation[] {
  return end.kind === "broken" ? [{ what: "cast", expected: "a cast", got: end.problem, where: "the disk" }] : [];
}

function slipFailures(played: Played | undefined, { state }: Observed): readonly UnmetExpectation[] {
  if (!played) return [];
  return [...keySlips(played, state.graph), ...playSlips(played, state.graph)].map(({ what, at, message }) => ({
    what: `replies.${at}`,
    expected: EXPECTED[what],
    got: message,
    where: `replies.${at}`,
  }));
}

const EXPECTED = {
  key: "a materia or socket of the graph",
  "left over": "every reply to be asked for",
  tool: "calls that go as they are meant to",
} as const;

function leftAnswers({ answers }: TestCast, answered: number): readonly UnmetExpectation[] {
  const more = answers.length - answered;
  if (more === 0) return [];
  return [{ what: "cast.answers", expected: answers.length, got: answered, where: "the cast waited no more" }];
}
