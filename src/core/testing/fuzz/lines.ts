import { sanitizeForTerminal } from "../../model/values/text.ts";
import { countedText } from "../../view/numbers.ts";
import { line, toned, wrapLine, type Line } from "../../view/text/line.ts";
import type { FuzzResult } from "./fuzz.ts";
import { isReportedAnswer } from "./one-cast.ts";

const MAX_NEVER_TAKEN_SHOWN = 20;

export function fuzzLines(
  name: string,
  fuzzed: FuzzResult & { readonly seconds: number; readonly worst: string; readonly written: readonly string[] },
  width: number,
): readonly Line[] {
  const { casts, seed, outcomes, mostTurns, conflicts, findings, missing, seconds, worst, written } = fuzzed;
  const faults = findings.filter(({ fault }) => fault).length;
  const ends = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  return [
    line(
      faults === 0 ? toned("ok", "✓ ") : toned("bad", "✗ "),
      toned("strong", sanitizeForTerminal(name)),
      toned("dim", `  ${casts} casts in ${seconds.toFixed(1)} s, seed ${seed}`),
    ),
    line(toned("dim", "  ended    "), ends.join(" · ")),
    ...wrapLine(
      line(toned("dim", "  turns    "), `at most ${mostTurns}; `, toned("dim", `worst case: ${worst}`)),
      width,
    ),
    ...(conflicts === 0
      ? []
      : [
          line(toned("dim", "  items    "), `the work of one could not be merged in ${countedText(conflicts, "cast")}`),
        ]),
    ...findings.flatMap(({ what, fault, casts: count, smallest }) =>
      wrapLine(
        line(
          toned(fault ? "bad" : "rework", fault ? "  fault    " : "  found    "),
          sanitizeForTerminal(what),
          toned(
            "dim",
            `  in ${countedText(count, "cast")}, the smallest with ${countedText(smallest.choices.filter(isReportedAnswer).length, "answer")}`,
          ),
        ),
        width,
      ),
    ),
    ...missing.slice(0, MAX_NEVER_TAKEN_SHOWN).map((each) => line(toned("rework", "  never    "), sanitizeForTerminal(each))),
    ...(missing.length > MAX_NEVER_TAKEN_SHOWN ? [line(toned("dim", `           … ${missing.length - MAX_NEVER_TAKEN_SHOWN} more`))] : []),
    ...written.map((file) => line(toned("dim", "  written  "), sanitizeForTerminal(file))),
  ];
}
