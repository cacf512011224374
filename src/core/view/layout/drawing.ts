import type { DrawnWay } from "../graph/drawn-ways.ts";
import type { SocketId } from "../../model/ids.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

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

/** The dotted line from a generator to the loop of its list. No cast takes it. */
export interface GeneratorLine {
  readonly id: string;
  readonly via: "items";
  readonly from: SocketId;
  readonly loop: string;
}

export type DrawnLine = DrawnWay | GeneratorLine;

/** Straight down its column, or around the side. */
export type RouteStyle = "rail" | "lane";

export interface PlacedEdge {
  readonly way: DrawnLine;
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
