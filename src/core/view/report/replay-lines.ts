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
  return [
    line(head, toned("dim", `  ${castId}  ${countedText(visits, "visit")}, ${found}nothing was run`)),
    ...groupDifferences(differences).flatMap((group) =>
      differenceLines(["  ", toned("strong", visitsText(group.visits))], group, width),
    ),
  ];
}

function differenceLines(
  place: readonly (string | Span)[],
  { kind, message }: Pick<ReplayDifference, "kind" | "message">,
  width: number,
): readonly Line[] {
  return wrapLine(line(...place, "  ", toned("accent", kind), "  ", sanitizeForTerminal(message)), width);
}

/** Groups equal differences: changed instructions of fifty visits are one line. */
function groupDifferences(differences: readonly ReplayDifference[]) {
  const groups = Map.groupBy(
    differences,
    ({ visit, kind, message }) => `${visit.replace(/#\d+$/, "")} ${kind} ${message}`,
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, visits: [first, ...others].map(({ visit }) => visit) }] : [],
  );
}

function visitsText([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${countedText(others.length, "more visit")}`;
}

/** The casts that would go differently. */
export function allReplayLines(
  {
    told,
    refused,
  }: {
    readonly told: readonly ReplayReport[];
    readonly refused: readonly { readonly castId: string; readonly issues: readonly Issue[] }[];
  },
  width: number,
): readonly Line[] {
  const different = told.filter(({ differences }) => differences.length > 0);
  return [
    ...different.flatMap(({ castId, differences }) => {
      const [first] = differences;
      const more = differences.length > 1 ? `  the first of ${differences.length} differences` : "";
      return [
        line(toned("rework", "≠ "), toned("strong", castId), toned("dim", more)),
        ...(first ? differenceLines(["    ", first.visit], first, width) : []),
      ];
    }),
    ...refused.map(({ castId, issues }) =>
      line(
        toned("bad", "! "),
        toned("strong", castId),
        toned("dim", `  ${sanitizeForTerminal(issues[0]?.message ?? "")}`),
      ),
    ),
    line(
      toned(
        different.length + refused.length === 0 ? "ok" : "rework",
        `${different.length} of ${told.length + refused.length}`,
      ),
      ` would go differently`,
      toned("dim", refused.length === 0 ? "" : `, ${refused.length} cannot be replayed`),
    ),
  ];
}
