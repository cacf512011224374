import type { DrawnWay } from "../graph/drawn-ways.ts";
import type { SocketId } from "../../model/ids.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Box = Point & Size;

/** A graph with the positions of all parts, in pixels from the upper left corner. */
export interface GraphDrawing {
  readonly width: number;
  readonly height: number;
  /** In reading order, so that the keyboard moves down the main column. */
  readonly sockets: readonly PlacedSocket[];
  readonly loops: readonly PlacedLoop[];
  /** One per target of a chain; none for a single one. */
  readonly bands: readonly TargetBand[];
  readonly edges: readonly PlacedEdge[];
  /** The box of the end; null if no way leads there. */
  readonly end: Box | null;
}

export interface PlacedSocket {
  readonly id: SocketId;
  readonly box: Box;
  readonly row: number;
  readonly column: number;
}

export interface PlacedLoop {
  readonly id: string;
  readonly box: Box;
  /** The part of the box for its name and its items. */
  readonly head: Box;
}

export interface TargetBand {
  readonly target: number;
  readonly name: string;
  readonly box: Box;
  readonly title: Box;
}

/** Straight down its column, or around the side. */
export type RouteStyle = "rail" | "lane";

export interface PlacedEdge {
  readonly way: DrawnWay;
  readonly runs: RouteStyle;
  readonly points: readonly Point[];
  /** The box of its label; null without a label. */
  readonly label: Box | null;
  /** The middle of the bar where an exit leaves its region. */
  readonly bar: (Point & { readonly lies: "flat" | "upright" }) | null;
  /** The number of its stitch, from 1. */
  readonly stitch: number | null;
}

export function boxesOverlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The boxes of the straight pieces of a route, without thickness. */
export function segmentBoxes(points: readonly Point[]): readonly Box[] {
  return points.slice(1).map((to, index) => {
    const from = points[index] ?? to;
    return {
      x: Math.min(from.x, to.x),
      y: Math.min(from.y, to.y),
      width: Math.max(0.01, Math.abs(from.x - to.x)),
      height: Math.max(0.01, Math.abs(from.y - to.y)),
    };
  });
}

export interface LayoutMetrics {
  readonly socket: Size;
  readonly end: Size;
  /** From the left border of a socket to the middle of its icon. */
  readonly rail: number;
  readonly gap: { readonly plain: number; readonly inLoop: number; readonly beforeEnd: number };
  readonly region: { readonly head: number; readonly foot: number; readonly side: number };
  readonly band: { readonly top: number; readonly foot: number; readonly title: number };
  readonly columnGap: number;
  readonly lane: { readonly least: number; readonly apart: number; readonly beside: number };
  readonly label: { readonly line: number; readonly letter: number; readonly pad: number };
  readonly margin: { readonly x: number; readonly y: number };
}

export const REGULAR_METRICS: LayoutMetrics = {
  socket: { width: 236, height: 46 },
  end: { width: 52, height: 22 },
  rail: 21,
  gap: { plain: 26, inLoop: 31, beforeEnd: 20 },
  region: { head: 36, foot: 17, side: 12 },
  band: { top: 12, foot: 12, title: 132 },
  columnGap: 28,
  lane: { least: 32, apart: 8, beside: 10 },
  label: { line: 14, letter: 11, pad: 4 },
  margin: { x: 12, y: 14 },
};

/** Below 1100 pixels. */
export const COMPACT_METRICS: LayoutMetrics = {
  ...REGULAR_METRICS,
  socket: { width: 194, height: 48 },
  // A wider label would reach into the margin, which is cut off.
  end: { width: 46, height: 22 },
  gap: { plain: 24, inLoop: 32, beforeEnd: 18 },
  region: { head: 36, foot: 18, side: 7 },
  band: { top: 38, foot: 10, title: 0 },
  columnGap: 16,
  lane: { least: 24, apart: 6, beside: 5 },
  margin: { x: 4, y: 14 },
};

/** A second line in the heads of loops, for the current item. */
export function withItemLineRoom(metrics: LayoutMetrics): LayoutMetrics {
  return { ...metrics, region: { ...metrics.region, head: metrics.region.head + 18 } };
}

/** Everything larger, for people who read larger text. */
export function scaleMetrics(metrics: LayoutMetrics, factor: number): LayoutMetrics {
  if (factor === 1) return metrics;
  const grow = <T extends object>(part: T): T =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => [key, typeof value === "number" ? value * factor : grow(value)]),
    ) as T; // the same keys, each with the same type
  return grow(metrics);
}

/** The size of a label, with a margin because fonts differ. */
export function measureLabel(lines: readonly string[], { label }: LayoutMetrics, widest: number): Size | null {
  if (lines.length === 0) return null;
  const width = Math.max(...lines.map((line) => textWidth(line) * label.letter)) + 2 * label.pad;
  return { width: Math.min(Math.ceil(width), widest), height: lines.length * label.line + 2 };
}

function textWidth(text: string): number {
  return Array.from(text, letterWidth).reduce((width, each) => width + each, 0);
}

/** Relative to the font size, for a plain sans serif. */
function letterWidth(letter: string): number {
  if (/[ijltfrI.,:;'|!() \-·]/.test(letter)) return 0.36;
  if (/[mwMW—→✓✗×]/.test(letter)) return 0.88;
  if (/[A-Z]/.test(letter)) return 0.7;
  // Letters of other scripts are mostly square.
  return letter > "\u02ff" ? 1.05 : 0.58;
}
