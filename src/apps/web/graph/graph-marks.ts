import type { Issue } from "../../../core/model/issue.ts";
import type { ItemProgress } from "../../../core/view/progress/item-cells.ts";
import type { Line } from "../../../core/view/line.ts";

/** State shown in a graph: visits and position of a cast, problems and selection of an editor. */
export interface GraphMarks {
  readonly sockets?: ReadonlyMap<string, SocketMark>;
  readonly edges?: ReadonlyMap<string, EdgeMark>;
  readonly loops?: ReadonlyMap<string, LoopMark>;
}

export interface SocketMark {
  readonly state?: "visited" | "todo" | "live" | "waiting" | "failed";
  /** A badge on the border: `Now 1:56`, `Waiting for you`, `At 12:40`. */
  readonly tag?: string;
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
  /** Lines of the label. */
  readonly label?: readonly Line[];
  readonly problem?: Issue["severity"] | undefined;
}

export interface LoopMark {
  readonly items?: ItemProgress;
  /** A second line, such as `Item 4 of 7` and the title. */
  readonly secondLine?: Line;
}

/** A part of a graph: the target of selection, focus or an action. */
export type GraphPart =
  | { readonly kind: "socket"; readonly id: string }
  | { readonly kind: "edge"; readonly id: string }
  | { readonly kind: "loop"; readonly id: string };

export function isSamePart(a: GraphPart | null, b: GraphPart | null): boolean {
  return a?.kind === b?.kind && a?.id === b?.id;
}
