import type { Issue } from "../../../core/model/issue.ts";
import type { ItemProgress } from "../../../core/view/progress/item-progress.ts";
import type { Line } from "../../../core/view/line.ts";
import {
  type Box,
  type GraphDrawing,
  type LayoutMetrics,
  type PlacedEdge,
  type Point,
  COMPACT_METRICS,
  REGULAR_METRICS,
  scaleMetrics,
  withItemLineRoom,
} from "../../../core/view/layout/drawing.ts";
import { textScale } from "../browser/display.ts";

/** The sizes of a drawing for the person's text size, with a line for the current item in the heads of loops if needed. */
export function drawingMetrics(compact: boolean, hasItemLine: boolean): LayoutMetrics {
  const plain = compact ? COMPACT_METRICS : REGULAR_METRICS;
  return scaleMetrics(hasItemLine ? withItemLineRoom(plain) : plain, textScale());
}

/** State shown in a graph: visits and position of a cast, problems and selection of an editor. */
export interface GraphMarks {
  readonly sockets?: ReadonlyMap<string, SocketMark>;
  readonly edges?: ReadonlyMap<string, EdgeMark>;
  readonly loops?: ReadonlyMap<string, LoopMark>;
}

export interface SocketMark {
  readonly state?: "visited" | "todo" | "live" | "waiting" | "failed";
  /** A badge on the border: `Now 1:56`, `Waiting for you`, `At 12:40`. */
  readonly tag?: string | undefined;
  /** A past moment: the outline is dashed to tell it from now. */
  readonly isPast?: boolean;
  /** Upper right: `7×`. */
  readonly visits?: string;
  /** Lower right: cost, or the time of a utility. */
  readonly figure?: string;
  readonly problem?: { readonly severity: Issue["severity"]; readonly text: string };
  /** The number of a candidate in a refused link. */
  readonly flag?: string;
}

export interface EdgeMark {
  readonly visits?: "unvisited" | "visited" | "last";
  readonly label?: readonly Line[];
  readonly problem?: Issue["severity"] | undefined;
}

export interface LoopMark {
  readonly items?: ItemProgress;
  /** A second line, such as `Item 4 of 7` and the title. */
  readonly secondLine?: Line;
}

/** A part of a graph: the target of selection, focus or an action. */
export interface GraphPart {
  readonly kind: "socket" | "edge" | "loop";
  readonly id: string;
}

export function socketPart(id: string): GraphPart {
  return { kind: "socket", id };
}

export function includesPart(parts: readonly GraphPart[], { kind, id }: GraphPart): boolean {
  return parts.some((part) => part.kind === kind && part.id === id);
}

/** Where a part is drawn: an edge at its label, or on its first segment. */
export function boxOfPart({ sockets, edges, loops }: GraphDrawing, id: string): Box | undefined {
  const edge = edges.find(({ way }) => way.id === id);
  return (
    sockets.find((socket) => socket.id === id)?.box ??
    loops.find((loop) => loop.id === id)?.box ??
    (edge && (edge.label ?? { ...firstSegmentMiddle(edge), width: 1, height: 1 }))
  );
}

export function firstSegmentMiddle({ points }: PlacedEdge): Point {
  const [from, to] = points;
  return from && to ? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } : { x: 0, y: 0 };
}
