import type { Json } from "../../model/values/json.ts";
import { sanitizeForTerminal, oneLine } from "../../model/values/text.ts";
import { countedText } from "../../view/numbers.ts";
import { line, toned, wrapLine, type Line } from "../../view/text/line.ts";
import { coveragePercent, type Coverage } from "../coverage.ts";
import type { UnmetExpectation } from "../judge.ts";

/** A test as people are told of it. */
export interface TestReport {
  readonly file: string;
  readonly ok: boolean;
  readonly failures: readonly UnmetExpectation[];
  readonly ms: number;
  /** Whether `--update` has written what was observed. */
  readonly updated: boolean;
}

/** [T10] One line for what passed; only failures are long. */
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
      ...(updated === 0 ? [] : [toned("dim", ` · ${updated} updated`)]),
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

/** Both sides under each other, so that a difference is seen at once; a long list from where they part. */
function failureLines({ what, expected, got, where }: UnmetExpectation, width: number): readonly Line[] {
  const sides = differingParts(expected, got);
  return [
    line("    ", toned("strong", sanitizeForTerminal(what)), ...(where === "" ? [] : [toned("dim", `  at ${sanitizeForTerminal(where)}`)])),
    ...wrapLine(line("      ", toned("dim", "expected  "), toned("ok", sides.expected)), width),
    ...wrapLine(line("      ", toned("dim", "     got  "), toned("bad", sides.got)), width),
  ];
}

const MAX_VALUE_LENGTH = 600;

function differingParts(expected: Json, got: Json): { readonly expected: string; readonly got: string } {
  if (!Array.isArray(expected) || !Array.isArray(got)) return { expected: valueText(expected), got: valueText(got) };
  const [left, right] = [expected.map(valueText), got.map(valueText)];
  const same = left.findIndex((each, index) => each !== right[index]);
  const from = Math.max(0, (same === -1 ? left.length : same) - 2);
  const text = (side: readonly string[]): string => {
    const shown = side.slice(from, from + 12);
    const words = [...(from > 0 ? [`(${from} before)`] : []), ...shown];
    return `${words.join(" → ")}${side.length > from + 12 ? " → …" : ""}`;
  };
  return { expected: text(left), got: text(right) };
}

function valueText(value: Json): string {
  if (value === null) return "nothing";
  return oneLine(typeof value === "string" ? value : JSON.stringify(value), MAX_VALUE_LENGTH);
}

const MAX_MISSING_SHOWN = 12;

/** [T7] What no test took, loadout by loadout. */
export function coverageLines(
  coverage: Readonly<Record<string, Coverage>>,
  least: number | undefined,
): readonly Line[] {
  const rows = Object.entries(coverage);
  if (rows.length === 0) return [];
  return [
    line(""),
    ...rows.flatMap(([name, { taken, of, missing }]) => {
      const percent = coveragePercent({ taken, of });
      const tone = least !== undefined && percent < least ? "bad" : missing.length === 0 ? "ok" : "rework";
      const more = missing.length - MAX_MISSING_SHOWN;
      return [
        line(
          toned("strong", "Coverage  "),
          `${oneLine(name, 60)}  `,
          toned(tone, `${percent} %`),
          toned("dim", `  ${taken} of ${of} ways and sockets`),
        ),
        ...missing.slice(0, MAX_MISSING_SHOWN).map((each) => line(toned("dim", "  never taken  "), sanitizeForTerminal(each))),
        ...(more > 0 ? [line(toned("dim", `  … ${countedText(more, "more", "more")}`))] : []),
      ];
    }),
  ];
}
