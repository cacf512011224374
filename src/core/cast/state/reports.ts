import type { SocketId } from "../../model/ids.ts";
import { truncate } from "../../model/text.ts";
import { getItemValue, withItemValue, type ByItemPlace } from "./item-counts.ts";
import type { OpenPoint } from "./parallel-run.ts";
import type { CastState } from "./state.ts";

/** With the mark of a cut it stays below 2,000 characters. */
const ANSWER_LIMIT = 1_950;
const POINT_LIMIT = 300;
const MAX_POINTS = 20;

interface LastAnswer {
  readonly text: string;
  readonly isRefusal: boolean;
}

export interface CastReports {
  readonly answers: ByItemPlace<LastAnswer>;
  readonly open: readonly OpenPoint[];
}

/** [P12] The last answer of this socket for the item of its next visit. */
export function lastAnswerOf(state: CastState, socket: SocketId): LastAnswer | undefined {
  return getItemValue(state, state.reports.answers, socket);
}

type Reporter = Omit<OpenPoint, "text">;

export function withReport(state: CastState, reporter: Reporter, text: string, satisfied?: boolean): CastReports {
  const { answers, open } = state.reports;
  const answer: LastAnswer = { text: truncate(text.trim(), ANSWER_LIMIT), isRefusal: satisfied === false };
  const points = openPointsIn(text).map((point): OpenPoint => ({ ...reporter, text: point }));
  return {
    answers: withItemValue(state, answers, reporter.socket, answer),
    open: withOpenPoints(open, reporter, points),
  };
}

/** [P14] A new report replaces the points of the earlier one. */
function withOpenPoints(
  earlier: readonly OpenPoint[],
  { socket, item }: Reporter,
  points: readonly OpenPoint[],
): readonly OpenPoint[] {
  const others = earlier.filter((each) => each.socket !== socket || each.item !== item);
  if (others.length === earlier.length && points.length === 0) return earlier;
  return addOpenPoints(others, points);
}

/** [P14] The same words count once, and only the newest points stay. */
export function addOpenPoints(earlier: readonly OpenPoint[], points: readonly OpenPoint[]): readonly OpenPoint[] {
  const isSaid = (point: OpenPoint) => earlier.some(({ text, item }) => text === point.text && item === point.item);
  return [...earlier, ...points.filter((point) => !isSaid(point))].slice(-MAX_POINTS);
}

const POINT_LINE = /^[\s>*_#-]*open(?: points?)?[*_]*:[*_]*(.*)$/i;
const BULLET_LINE = /^\s*(?:[-*•]|\d+[.)])\s+(.*)$/;
const NO_POINT = /^\W*(?:nothing|none|no|n\/a)?\W*$/i;

/** [P14] The lines `Open: …` of a report, and the list below a line that says only `Open:`. */
export function openPointsIn(text: string): readonly string[] {
  const points: string[] = [];
  let inList = false;
  for (const line of text.split("\n")) {
    const afterLabel = POINT_LINE.exec(line)?.[1];
    const listed: string | undefined = inList ? BULLET_LINE.exec(line)?.[1] : undefined;
    inList = afterLabel === undefined ? listed !== undefined : afterLabel.trim() === "";
    const point = (afterLabel ?? listed ?? "").trim();
    if (!NO_POINT.test(point)) points.push(truncate(point, POINT_LIMIT));
    if (points.length === MAX_POINTS) break;
  }
  return points;
}
