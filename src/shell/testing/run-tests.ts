import { availableParallelism } from "node:os";
import type { FoundTest } from "./find-tests.ts";
import { runTest, type TestContext, type TestResult } from "./run-test.ts";

/** Tests wait for tools and programs more than they compute. */
const MAX_PARALLEL_TESTS = Math.min(8, 2 * availableParallelism());

/** Several at once, told in the order of their files. */
export async function runTests(tests: readonly FoundTest[], place: TestContext): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  const left = tests.entries();
  const work = async (): Promise<void> => {
    for (const [index, test] of left) results[index] = await runTest(test, place);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_TESTS }, work));
  return results;
}
