/**
 * Stands in for vitest while faults are tried. The tests are loaded once and called as often as there are faults: that is a
 * hundred times as fast as to start vitest for each. Only what the tests of the core and of the store use is here.
 */
import * as matchers from "@vitest/expect";
import { clock } from "./clock.mjs";

const { chai } = matchers;
for (const plugin of [matchers.JestExtend, matchers.JestChaiExpect, matchers.JestAsymmetricMatchers]) chai.use(plugin);

export const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect);
Object.assign(expect, globalThis[matchers.ASYMMETRIC_MATCHERS_OBJECT]);
globalThis[matchers.GLOBAL_EXPECT] = expect;
matchers.setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);

/** The suite that is being described, and what is to be done when the test in hand is over. */
let suite;
let finished = [];

/** All tests that a file describes while it is loaded, in their order. */
export async function collect(file, load) {
  suite = newSuite(undefined, file);
  const { tests } = suite;
  await load();
  return tests;
}

function newSuite(parent, title) {
  const tests = parent?.tests ?? [];
  return { parent, title, tests, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
}

export const it = registering((title, body) => {
  suite.tests.push({ suite, title: `${titleOf(suite)} ${title}`, body });
});

export const describe = registering((title, body) => {
  const outer = suite;
  suite = newSuite(outer, title);
  body();
  suite = outer;
});

function titleOf({ parent, title }) {
  return parent ? `${titleOf(parent)} > ${title}` : title;
}

function registering(register) {
  const one = (title, ...rest) => register(title, rest.find((each) => typeof each === "function") ?? (() => undefined));
  const each =
    (rows) =>
    (title, ...rest) => {
      const body = rest.find((one) => typeof one === "function");
      rows.forEach((row, index) => register(`${title} ${index}`, () => body(...(Array.isArray(row) ? row : [row]))));
    };
  const none = Object.assign(() => undefined, { each: () => () => undefined });
  const when = (wanted) => (wanted ? Object.assign(one, { each }) : none);
  return Object.assign(one, { each, runIf: when, skipIf: (unwanted) => when(!unwanted) });
}

export const beforeAll = (hook) => void suite.beforeAll.push(hook);
export const afterAll = (hook) => void suite.afterAll.push(hook);
export const beforeEach = (hook) => void suite.beforeEach.push(hook);
export const afterEach = (hook) => void suite.afterEach.push(hook);
export const onTestFinished = (hook) => void finished.push(hook);

const stubbed = new Map();
export const vi = {
  ...clock,
  stubEnv: (name, value) => {
    if (!stubbed.has(name)) stubbed.set(name, process.env[name]);
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  },
  unstubAllEnvs: () => {
    for (const [name, value] of stubbed)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    stubbed.clear();
  },
};

/** Suites whose tests are being run; each prepares itself before its first test. */
export function openSuites() {
  const entered = [];
  const enter = async (each) => {
    if (each === undefined || entered.includes(each)) return;
    await enter(each.parent);
    entered.push(each);
    for (const hook of each.beforeAll) await hook();
  };
  return {
    enter,
    leave: async () => {
      for (const each of entered.toReversed()) for (const hook of each.afterAll) await hook();
    },
  };
}

/** Throws what the test or a hook of it threw first. */
export async function runTest({ suite: of, body }) {
  const around = [];
  for (let each = of; each !== undefined; each = each.parent) around.push(each);
  finished = [];
  const failures = [];
  const attempt = async (hook) => {
    try {
      await hook();
    } catch (thrown) {
      failures.push(thrown);
    }
  };
  for (const each of around.toReversed()) for (const hook of each.beforeEach) await attempt(hook);
  if (failures.length === 0) await attempt(body);
  for (const each of around) for (const hook of each.afterEach) await attempt(hook);
  for (const hook of finished.toReversed()) await attempt(hook);
  if (failures.length > 0) throw failures[0];
}
