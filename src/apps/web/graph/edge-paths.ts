import type { PlacedEdge, Point } from "../../../core/view/layout/drawing.ts";

const CORNER_RADIUS = 10;

/** A line through the points with round corners, ending `before` its last point for the arrowhead. */
export function roundedPath(points: readonly Point[], before: number): string {
  const line = shortenLine(points, before);
  const [first, ...rest] = line;
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  rest.forEach((point, index) => {
    const from = line[index] ?? point;
    const next = rest[index + 1];
    if (!next) {
      path += `L${point.x} ${point.y}`;
      return;
    }
    const radius = Math.min(CORNER_RADIUS, distance(from, point) / 2, distance(point, next) / 2);
    const [start, stop] = [pointToward(point, from, radius), pointToward(point, next, radius)];
    path += `L${start.x} ${start.y}Q${point.x} ${point.y} ${stop.x} ${stop.y}`;
  });
  return path;
}

/** An arrowhead whose tip is `before` the last point. */
export function arrowHeadPath(points: readonly Point[], before: number): string {
  const [from, to] = points.slice(-2);
  if (!from || !to) return "";
  const tip = pointToward(to, from, Math.max(0, before));
  const base = pointToward(to, from, Math.max(0, before) + 8);
  const [dx, dy] = [(tip.y - base.y) / 8, (tip.x - base.x) / 8];
  return `M${base.x - 5 * dx} ${base.y - 5 * dy}L${tip.x} ${tip.y}L${base.x + 5 * dx} ${base.y + 5 * dy}z`;
}

/** Two stitches in the middle of the longest segment. */
export function stitchPath(points: readonly Point[]): string {
  let longest: readonly [Point, Point] | undefined;
  points.slice(1).forEach((to, index) => {
    const from = points[index] ?? to;
    if (!longest || distance(from, to) > distance(...longest)) longest = [from, to];
  });
  if (!longest) return "";
  const [from, to] = longest;
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const upright = from.x === to.x;
  const at = (shift: number): Point => (upright ? { x, y: y + shift } : { x: x + shift, y });
  return [at(-4), at(4)].map((point) => `M${point.x - 4} ${point.y - 3}l8 6m0 -6l-8 6`).join("");
}

/** The middle of the first segment. */
export function firstSegmentMiddle({ points }: PlacedEdge): Point {
  const [from, to] = points;
  return from && to ? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } : { x: 0, y: 0 };
}

function shortenLine(points: readonly Point[], by: number): readonly Point[] {
  const [from, to] = points.slice(-2);
  return from && to ? [...points.slice(0, -1), pointToward(to, from, by)] : points;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function pointToward(from: Point, to: Point, by: number): Point {
  const length = distance(from, to);
  if (length === 0) return from;
  const part = Math.min(1, by / length);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
