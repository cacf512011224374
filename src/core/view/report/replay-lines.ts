import type { Issue } from "../../model/issue.ts";
import { sanitizeForTerminal, countedText } from "../../model/text.ts";
import { line, toned, wrapLine, type Line, type Span } from "../line.ts";
import type { ReplayDifference } from "../../replay/differences.ts";

interface ReplayReport {
  readonly castId: string;
  readonly visits: number;
  readonly differences: readonly ReplayDifference[];
}

/** One line if nothing differs; otherwise each difference once. */
export function replayLines({ castId, visits, differences }: ReplayReport, width: number): readonly Line[] {
  const [head, found] =
    differences.length === 0
      ? [toned("ok", "✓ identical"), ""]
      : [toned("rework", "≠ different"), `${countedText(differences.length, "difference")}, `];
  // Changed instructions of fifty visits or items are one line.
  const groups = Map.groupBy(differences, ({ visit, kind, message }) =>
    [visit.replaceAll(/^\S+ |#\d+$/g, ""), kind, message].join(" "),
  );
  return [
    line(head, toned("dim", `  ${castId}  ${countedText(visits, "visit")}, ${found}nothing was run`)),
    ...[...groups.values()].flatMap(([first, ...others]) => {
      if (!first) return [];
      const more = others.length === 0 ? "" : ` and ${countedText(others.length, "more visit")}`;
      return differenceLines(["  ", toned("strong", `${first.visit}${more}`)], first, width);
    }),
  ];
}

function differenceLines(place: readonly (string | Span)[], { kind, message }: ReplayDifference, width: number) {
  return wrapLine(line(...place, "  ", toned("accent", kind), "  ", sanitizeForTerminal(message)), width);
}

export function allReplayLines(
  results: readonly ReplayReport[],
  refused: readonly { readonly castId: string; readonly issues: readonly Issue[] }[],
  width: number,
): readonly Line[] {
  const different = results.filter(({ differences }) => differences.length > 0);
  const isAlike = different.length + refused.length === 0;
  return [
    ...different.flatMap(({ castId, differences }) => {
      const [first] = differences;
      const more = differences.length > 1 ? `  the first of ${differences.length} differences` : "";
      return [
        line(toned("rework", "≠ "), toned("strong", castId), toned("dim", more)),
        ...(first ? differenceLines(["    ", first.visit], first, width) : []),
      ];
    }),
    ...refused.map(({ castId, issues: [first] }) => {
      const why = toned("dim", `  ${sanitizeForTerminal(first?.message ?? "")}`);
      return line(toned("bad", "! "), toned("strong", castId), why);
    }),
    line(
      toned(isAlike ? "ok" : "rework", `${different.length} of ${results.length + refused.length}`),
      ` would go differently`,
      toned("dim", refused.length === 0 ? "" : `, ${refused.length} cannot be replayed`),
    ),
  ];
}
