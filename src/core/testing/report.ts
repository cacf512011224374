import type { Json } from "../model/json.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../model/text.ts";
import { line, toned, wrapLine, type Line, type Span, type Tone } from "../view/line.ts";
import { coveragePercent, type Coverage } from "../history/way-names.ts";
import type { UnmetExpectation } from "./expectations.ts";
import { type FuzzResult } from "./fuzz.ts";

export interface TestReport {
  readonly file: string;
  readonly ok: boolean;
  readonly failures: readonly UnmetExpectation[];
  readonly ms: number;
  readonly updated: boolean;
}

/** [T10] One line for a test that passed; failures have details. */
export function testLines(tests: readonly TestReport[], width: number): readonly Line[] {
  const failed = tests.filter(({ ok }) => !ok).length;
  const updated = tests.filter((each) => each.updated).length;
  const passed = tests.length - failed;
  return [
    ...tests.flatMap((test) => testBlock(test, width)),
    line(""),
    line(
      toned("strong", "Tests  "),
      ...(failed === 0 ? [] : [toned("bad", `${failed} failed`), toned("dim", " · ")]),
      toned(failed === 0 ? "ok" : "dim", `${passed} passed`),
      toned("dim", updated === 0 ? "" : ` · ${updated} updated`),
    ),
  ];
}

function testBlock({ file, ok, failures, ms, updated }: TestReport, width: number): readonly Line[] {
  const took = toned("dim", `  ${Math.round(ms)} ms${updated ? "  updated" : ""}`);
  const name = sanitizeForTerminal(file);
  if (ok) return [line(toned("ok", "✓ "), name, took)];
  return [
    line(toned("bad", "✗ "), toned("strong", name), took),
    ...failures.flatMap((each) => failureLines(each, width)),
  ];
}

/** Expected and actual value below each other; long lists begin at their first difference. */
function failureLines({ what, expected, got, where }: UnmetExpectation, width: number): readonly Line[] {
  const [wanted, found] = differingParts(expected, got);
  const place = toned("dim", where === "" ? "" : `  at ${sanitizeForTerminal(where)}`);
  return [
    line("    ", toned("strong", sanitizeForTerminal(what)), place),
    ...wrapLine(line("      ", toned("dim", "expected  "), toned("ok", wanted)), width),
    ...wrapLine(line("      ", toned("dim", "     got  "), toned("bad", found)), width),
  ];
}

const MAX_VALUE_LENGTH = 600;

function differingParts(expected: Json, got: Json): readonly [expected: string, got: string] {
  if (!Array.isArray(expected) || !Array.isArray(got)) return [valueText(expected), valueText(got)];
  const [left, right] = [expected.map(valueText), got.map(valueText)];
  const same = left.findIndex((each, index) => each !== right[index]);
  const from = Math.max(0, (same === -1 ? left.length : same) - 2);
  const text = (side: readonly string[]): string => {
    const words = [...(from > 0 ? [`(${from} before)`] : []), ...side.slice(from, from + 12)];
    return `${words.join(" → ")}${side.length > from + 12 ? " → …" : ""}`;
  };
  return [text(left), text(right)];
}

function valueText(value: Json): string {
  return value === null ? "nothing" : oneLine(jsonText(value), MAX_VALUE_LENGTH);
}

const MAX_MISSING_SHOWN = 12;

type CoverageTable = Readonly<Record<string, Coverage>>;

/** [T7] The missing coverage of each loadout. */
export function coverageLines(coverage: CoverageTable, least: number | undefined): readonly Line[] {
  const rows = Object.entries(coverage);
  if (rows.length === 0) return [];
  return [
    line(""),
    ...rows.flatMap(([name, { taken, of, missing }]) => {
      const percent = coveragePercent({ taken, of });
      const tone = least !== undefined && percent < least ? "bad" : missing.length === 0 ? "ok" : "rework";
      const shown = missing.slice(0, MAX_MISSING_SHOWN);
      const more = missing.length - shown.length;
      return [
        line(
          toned("strong", "Coverage  "),
          `${oneLine(name, 60)}  `,
          toned(tone, `${percent} %`),
          toned("dim", `  ${taken} of ${of} ways and sockets`),
          toned("bad", tone === "bad" ? `  --min-coverage ${least} not reached` : ""),
        ),
        ...shown.map((each) => line(toned("dim", "  never taken  "), sanitizeForTerminal(each))),
        ...(more > 0 ? [line(toned("dim", `  … ${more} more`))] : []),
      ];
    }),
  ];
}

/** [T7] Coverage below the wanted percentage, as a failed test for CI. */
export function lowCoverageReports(coverage: CoverageTable, least: number | undefined): readonly TestReport[] {
  if (least === undefined) return [];
  return Object.entries(coverage).flatMap(([name, each]) => {
    const got = coveragePercent(each);
    if (got >= least) return [];
    const failure = { what: "coverage", expected: `at least ${least} %`, got: `${got} %`, where: name };
    return [{ file: `coverage of ${name}`, ok: false, failures: [failure], ms: 0, updated: false }];
  });
}

export function junitText(tests: readonly TestReport[]): string {
  const failed = tests.filter(({ ok }) => !ok).length;
  const seconds = tests.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const counts = `tests="${tests.length}" failures="${failed}" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="materia" ${counts}>`,
    ...tests.map(testCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase({ file, ms, failures }: TestReport): string {
  const open = `    <testcase classname="materia" name="${escapeXml(file)}" time="${(ms / 1000).toFixed(3)}"`;
  if (failures.length === 0) return `${open}/>`;
  const cases = failures.map(({ what, expected, got, where }) => {
    const text = `expected ${jsonText(expected)}\n     got ${jsonText(got)}\n      at ${where}`;
    return `      <failure message="${escapeXml(what)}">${escapeXml(text)}</failure>`;
  });
  return [`${open}>`, ...cases, "    </testcase>"].join("\n");
}

function jsonText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** XML allows no other control characters, not even escaped. */
function escapeXml(value: string): string {
  return value
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const MAX_NEVER_TAKEN_SHOWN = 20;

export function fuzzLines(
  name: string,
  fuzzed: FuzzResult & { readonly seconds: number; readonly worst: string; readonly written: readonly string[] },
  width: number,
): readonly Line[] {
  const { casts, seed, outcomes, mostTurns, conflicts, findings, missing, unreachable } = fuzzed;
  const { seconds, worst, written } = fuzzed;
  const more = missing.length - MAX_NEVER_TAKEN_SHOWN;
  const ends = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  const row = (tone: Tone, label: string, ...text: readonly (string | Span)[]): readonly Line[] =>
    wrapLine(line(toned(tone, `  ${label.padEnd(9)}`), ...text), width);
  return [
    line(
      findings.some(({ fault }) => fault) ? toned("bad", "✗ ") : toned("ok", "✓ "),
      toned("strong", sanitizeForTerminal(name)),
      toned("dim", `  ${casts} casts in ${seconds.toFixed(1)} s, seed ${seed}`),
    ),
    ...row("dim", "ended", ends.join(" · ")),
    ...row("dim", "turns", `the longest cast took ${mostTurns} with repairs; `, toned("dim", `worst case: ${worst}`)),
    ...(conflicts === 0
      ? []
      : row("dim", "items", `the work of one could not be merged in ${countedText(conflicts, "cast")}`)),
    ...findings.flatMap(({ what, fault, casts: count, smallest }) => {
      // A merge without a conflict is no choice that anybody made.
      const choices = smallest.choices.filter(({ by, satisfied }) => by !== "merge" || !satisfied);
      const answers = countedText(choices.length, "answer");
      const often = toned("dim", `  in ${countedText(count, "cast")}, the smallest with ${answers}`);
      return row(fault ? "bad" : "rework", fault ? "fault" : "found", sanitizeForTerminal(what), often);
    }),
    ...missing.slice(0, MAX_NEVER_TAKEN_SHOWN).flatMap((each) => {
      const why = toned("dim", unreachable.includes(each) ? "  nothing leads there" : "");
      return row("rework", "never", sanitizeForTerminal(each), why);
    }),
    ...(more > 0 ? row("dim", "", toned("dim", `… ${more} more`)) : []),
    ...written.flatMap((file) => row("dim", "written", sanitizeForTerminal(file))),
  ];
}
