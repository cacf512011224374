/** Stryker's runner of tests: they are loaded once into one process, in which the faults are switched on one after another. */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
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
/** A test may set the clock of this process; how long the test itself may take is not for it to say. */
const { setTimeout, clearTimeout } = globalThis;
/** What each test takes without a fault. One process finds out, and leaves it in a file for the others. */
const usual = new Map();
const USUAL = "usual.json";
const UNLIMITED = { passed: Infinity, ms: 600_000 };

function limitOf({ passed: places, ms } = { passed: 500_000, ms: 1_000 }) {
  return { passed: 10_000 + 10 * places, ms: 5_000 + 10 * ms };
}

createRunner.inject = tokens(commonTokens.options);
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "in-process", createRunner)];

function createRunner({ inProcess: { tests: patterns, mostMs = Infinity } }) {
  registerHooks({
    resolve: (name, context, next) =>
      name === "vitest" ? { url: STAND_IN, format: "module", shortCircuit: true } : next(name, context),
  });
  // What a fault leaves behind it, when its test has failed already.
  process.on("unhandledRejection", () => undefined);
  process.on("uncaughtException", () => undefined);
  const names = patterns.flatMap((pattern) => globSync(pattern).toSorted());
  const files = new Map();
  return {
    capabilities: () => ({ reloadEnvironment: false }),
    init: async () => {
      // First what is tested: what happens while that is loaded belongs to no test.
      for (const name of names) await load(name);
      for (const name of names) {
        const { value: tests, met } = await meeting(() => load(name));
        files.set(name, { name, tests, met });
      }
    },
    dryRun: async () => {
      const { tests, perTest } = await coveredBy(files.values());
      writeFileSync(USUAL, JSON.stringify([...usual]));
      const reached = new Set(Object.values(perTest).flatMap((counts) => Object.keys(counts)));
      const atLoading = Object.entries(switches.mutantCoverage?.static ?? {}).filter(([id]) => !reached.has(id));
      return {
        status: DryRunStatus.Complete,
        tests,
        mutantCoverage: { perTest, static: Object.fromEntries(atLoading) },
      };
    },
    mutantRun: async ({ activeMutant: { id }, testFilter, hitLimit, disableBail }) => {
      const all = [...files.values()].flatMap(({ name, tests }) => tests.map((_test, index) => idOf(name, index)));
      switchOn(id, hitLimit);
      const tests = await tryEach(inOrder(testFilter ?? all), { files, fault: id, mostMs, disableBail });
      const outcome = determineHitLimitReached(switches.hitCount, switches.hitLimit);
      switchOn(undefined, undefined);
      return toMutantRunResult(outcome ?? { status: DryRunStatus.Complete, tests });
    },
  };
}

/** In this process, and in those that the tests start. */
function switchOn(fault, hitLimit) {
  Object.assign(switches, { activeMutant: fault, hitCount: hitLimit && 0, hitLimit });
  if (fault === undefined) delete process.env[INSTRUMENTER_CONSTANTS.ACTIVE_MUTANT_ENV_VARIABLE];
  else process.env[INSTRUMENTER_CONSTANTS.ACTIVE_MUTANT_ENV_VARIABLE] = fault;
}

/** The tests that noticed last, since faults that stand together are noticed by the same ones. */
let noticed = [];

/** The quick ones first, since the first that fails is enough. */
function inOrder(ids) {
  if (usual.size === 0 && existsSync(USUAL))
    for (const [id, costs] of JSON.parse(readFileSync(USUAL, "utf8"))) usual.set(id, costs);
  const msOf = (id) => (noticed.includes(id) ? 0 : (usual.get(id)?.ms ?? 1_000));
  return ids.toSorted((one, other) => msOf(one) - msOf(other));
}

let loads = 0;

/** A file of tests is evaluated anew with each load, and so is the setup that runs before it; what it tests is not. */
function load(name) {
  loads += 1;
  return collect(name, async () => {
    for (const file of ["test/setup.ts", name]) await import(`${pathToFileURL(resolve(file)).href}?load=${loads}`);
  });
}

const idOf = (name, index) => `${name} ${index}`;
const placeOf = (id) => ({ name: id.slice(0, id.lastIndexOf(" ")), index: Number(id.slice(id.lastIndexOf(" ") + 1)) });

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

/** One after another, until one fails or so many milliseconds have gone by. */
async function tryEach(ids, { files, fault, mostMs, disableBail }) {
  const started = performance.now();
  const done = [];
  const opened = new Map();
  const open = async (name) => {
    const { tests, met } = files.get(name);
    return { tests: fault in met ? await load(name) : tests, suites: openSuites() };
  };
  for (const id of ids) {
    if (performance.now() - started > mostMs) break;
    const { name, index } = placeOf(id);
    try {
      if (!opened.has(name)) opened.set(name, await open(name));
      const { tests, suites } = opened.get(name);
      const test = tests[index];
      if (test) await suites.enter(test.suite);
      done.push(await tried(id, test ?? { title: id, body: () => Promise.reject(new Error("it is gone")) }));
    } catch (thrown) {
      done.push(failed({ id, name: id, timeSpentMs: 0 }, thrown));
    }
    if (done.at(-1).status !== TestStatus.Failed) continue;
    noticed = [id, ...noticed.filter((each) => each !== id)].slice(0, 5);
    if (!disableBail) break;
  }
  for (const { suites } of opened.values()) await suites.leave().catch(() => undefined);
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
