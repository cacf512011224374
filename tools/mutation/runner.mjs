/** Stryker's runner of tests: they are loaded once into one process, in which the faults are switched on one after another. */
import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { INSTRUMENTER_CONSTANTS } from "@stryker-mutator/api/core";
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { collect, openSuites, runTest } from "./vitest.mjs";

const STAND_IN = new URL("vitest.mjs", import.meta.url).href;
const switches = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});

/**
 * Every place that could hold a fault asks for the test in hand. Counted here, a fault that goes round for ever is stopped
 * when it has come by some ten times as often as the test does without it: waiting for the clock takes a minute each.
 */
let [testId, passed, most] = [undefined, 0, Infinity];
Object.defineProperty(switches, INSTRUMENTER_CONSTANTS.CURRENT_TEST_ID, {
  get: () => {
    passed += 1;
    if (passed > most) throw new Error("it goes round for ever");
    return testId;
  },
});
/** What each test takes without a fault; a process that took the place of another has not seen it. */
const usual = new Map();
const UNLIMITED = { passed: Infinity, ms: 600_000 };

function limitOf({ passed: places, ms } = { passed: 500_000, ms: 1_000 }) {
  return { passed: 10_000 + 10 * places, ms: 5_000 + 20 * ms };
}

createRunner.inject = tokens(commonTokens.options);
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "in-process", createRunner)];

function createRunner({ inProcess }) {
  registerHooks({
    resolve: (name, context, next) =>
      name === "vitest" ? { url: STAND_IN, format: "module", shortCircuit: true } : next(name, context),
  });
  // What a fault leaves behind it, when its test has failed already.
  process.on("unhandledRejection", () => undefined);
  // In the order that is given: the quick ones first, since the first that fails is enough.
  const names = inProcess.tests.flatMap((pattern) => globSync(pattern).toSorted());
  let files = [];
  return {
    capabilities: () => ({ reloadEnvironment: false }),
    init: async () => {
      // First what is tested: what happens while that is loaded belongs to no test.
      for (const name of names) await load(name);
      files = [];
      for (const name of names) {
        const { value: tests, met } = await meeting(() => load(name));
        files.push({ name, tests, met });
      }
    },
    dryRun: async () => {
      const { tests, perTest } = await coveredBy(files);
      const reached = new Set(Object.values(perTest).flatMap((counts) => Object.keys(counts)));
      const atLoading = Object.entries(switches.mutantCoverage?.static ?? {}).filter(([id]) => !reached.has(id));
      return {
        status: DryRunStatus.Complete,
        tests,
        mutantCoverage: { perTest, static: Object.fromEntries(atLoading) },
      };
    },
    mutantRun: async ({ activeMutant, testFilter, hitLimit, disableBail }) => {
      const wanted = testFilter && new Set(testFilter);
      Object.assign(switches, { activeMutant: activeMutant.id, hitCount: hitLimit && 0, hitLimit });
      const tests = [];
      for (const { name, tests: known, met } of files) {
        const asked = known.map((_test, index) => idOf(name, index)).filter((id) => wanted?.has(id) ?? true);
        if (asked.length === 0) continue;
        tests.push(...(await runFile(name, activeMutant.id in met ? undefined : known, { asked, disableBail })));
        if (!disableBail && tests.at(-1)?.status === TestStatus.Failed) break;
      }
      const outcome = determineHitLimitReached(switches.hitCount, switches.hitLimit);
      Object.assign(switches, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
      return toMutantRunResult(outcome ?? { status: DryRunStatus.Complete, tests });
    },
  };
}

let loads = 0;

/** A file of tests is evaluated anew with each load; what it tests is not. */
function load(name) {
  loads += 1;
  return collect(name, () => import(`${pathToFileURL(resolve(name)).href}?load=${loads}`));
}

const idOf = (name, index) => `${name} ${index}`;

/** What comes of something, and the faults that it meets on its way. */
async function meeting(what) {
  testId = "now";
  if (switches.mutantCoverage) switches.mutantCoverage.perTest = {};
  const value = await what();
  testId = undefined;
  return { value, met: switches.mutantCoverage?.perTest["now"] ?? {} };
}

/** Which faults each test meets. What a file computes while it is loaded counts for all its tests: for those it is loaded again. */
async function coveredBy(files) {
  const tests = [];
  const perTest = {};
  for (const file of files) {
    const shared = { ...file.met };
    const suites = openSuites();
    for (const [index, test] of file.tests.entries()) {
      const entered = await meeting(() => suites.enter(test.suite));
      Object.assign(shared, entered.met);
      const id = idOf(file.name, index);
      const { value, met } = await meeting(() => tried(id, test, UNLIMITED));
      usual.set(id, { passed, ms: value.timeSpentMs });
      tests.push(value);
      perTest[id] = met;
    }
    await suites.leave();
    for (const index of file.tests.keys()) {
      const counts = perTest[idOf(file.name, index)];
      for (const [id, count] of Object.entries(shared)) counts[id] = (counts[id] ?? 0) + count;
    }
  }
  return { tests, perTest };
}

async function runFile(name, known, { asked, disableBail }) {
  const done = [];
  const suites = openSuites();
  try {
    const tests = known ?? (await load(name));
    for (const id of asked) {
      const test = tests[Number(id.slice(name.length + 1))];
      if (test) await suites.enter(test.suite);
      done.push(await tried(id, test ?? { title: id, body: () => Promise.reject(new Error("it is gone")) }));
      if (!disableBail && done.at(-1).status === TestStatus.Failed) break;
    }
    await suites.leave();
  } catch (thrown) {
    done.push(failed({ id: asked[0], name: asked[0], timeSpentMs: 0 }, thrown));
  }
  return done;
}

async function tried(id, test, limit = limitOf(usual.get(id))) {
  const started = performance.now();
  const about = () => ({ id, name: test.title, timeSpentMs: performance.now() - started });
  const waiting = Promise.withResolvers();
  const timer = setTimeout(() => waiting.reject(new Error("it never ends")), limit.ms);
  [passed, most] = [0, limit.passed];
  try {
    await Promise.race([runTest(test), waiting.promise]);
    return { ...about(), status: TestStatus.Success };
  } catch (thrown) {
    return failed(about(), thrown);
  } finally {
    clearTimeout(timer);
    most = Infinity;
  }
}

function failed(about, thrown) {
  return { ...about, status: TestStatus.Failed, failureMessage: String(thrown?.message ?? thrown) };
}
