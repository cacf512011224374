import type { Issue } from "../../../core/model/issue.ts";
import type { ItemProgress } from "../../../core/view/progress/item-cells.ts";
import type { Line } from "../../../core/view/line.ts";

/** What is said about a graph besides its shape: visits and position of a cast, problems and choice of an editor. */
export interface GraphMarks {
  readonly sockets?: ReadonlyMap<string, SocketMark>;
  readonly edges?: ReadonlyMap<string, EdgeMark>;
  readonly loops?: ReadonlyMap<string, LoopMark>;
}

export interface SocketMark {
  readonly state?: "visited" | "todo" | "live" | "waiting" | "failed";
  /** On the border: `Now 1:56`, `Waiting for you`, `At 12:40`. */
  readonly tag?: string;
  /** Seen in the past: the outline is dashed, so that nobody takes it for now. */
  readonly isPast?: boolean;
  /** Upper right: `7×`. */
  readonly visits?: string;
  /** Lower right: cost, or the time of a utility. */
  readonly figure?: string;
  readonly problem?: { readonly severity: Issue["severity"]; readonly text: string };
  /** The number of a candidate, where a link was refused. */
  readonly flag?: string;
}

export interface EdgeMark {
  readonly visits?: "unvisited" | "visited" | "last";
  /** One line each; without it the label of the drawing's way stands there. */
  readonly label?: readonly Line[];
  readonly problem?: Issue["severity"];
}

export interface LoopMark {
  readonly items?: ItemProgress;
  /** `Item 4 of 7` and the title, or anything else worth a second line. */
  readonly secondLine?: Line;
}

/** What of a graph is chosen, focused or acted on. */
export type GraphPart =
  | { readonly kind: "socket"; readonly id: string }
  | { readonly kind: "edge"; readonly id: string }
  | { readonly kind: "loop"; readonly id: string };

export function isSamePart(a: GraphPart | null, b: GraphPart | null): boolean {
  return a?.kind === b?.kind && a?.id === b?.id;
}
