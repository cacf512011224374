import { readFileSync, writeFileSync } from "node:fs";
import { applyEdits, modify } from "jsonc-parser";
import type { UnmetExpectation } from "../../core/testing/judge.ts";
import { fullExpectation } from "../../core/testing/observed.ts";
import type { TestResult } from "./run-test.ts";

const JSON_FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** [T11] Writes what was observed in the place of what was expected; comments stay. The answer is what is still wrong. */
export function updateExpectations(
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
