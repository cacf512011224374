import type { CastEvent } from "../cast/state/event.ts";
import type { Checkpoint, OmittedFiles, MissingCheckpoint } from "../model/values/checkpoint.ts";
import { itemKey } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";

/** Two checkpoints: what lay there before, and after. */
export interface CheckpointSpan {
  readonly from: string;
  readonly to: string;
}

export interface VisitFileSpan extends CheckpointSpan {
  readonly socket: SocketId;
  readonly visit: number;
  readonly materia: string;
  /** What its end says; null for a visit that changed nothing, or has not ended. */
  readonly files: Checkpoint | MissingCheckpoint | null;
}

export interface ItemFileSpan extends CheckpointSpan {
  readonly loop: string;
  readonly key: string;
  readonly title: string;
}

/** [Y7] Everything of a cast whose files can be looked at. */
export type CastFileSpans =
  | { readonly kind: "none"; readonly problem: string | null }
  | {
      readonly kind: "kept";
      readonly whole: CheckpointSpan;
      readonly visits: readonly VisitFileSpan[];
      readonly items: readonly ItemFileSpan[];
      /** What the last checkpoint that says so does without. */
      readonly left: OmittedFiles;
    };

/** Read off the events alone. */
export function castFileSpans(events: readonly CastEvent[]): CastFileSpans {
  let base: string | null = null;
  let problem: string | null = null;
  let last = "";
  let left: OmittedFiles = {};
  let loop = "";
  let item: string | null = null;
  const visits: VisitFileSpan[] = [];
  const items = new Map<string, ItemFileSpan>();
  const reach = (commit: string): void => {
    last = commit;
    const visit = visits.at(-1);
    if (visit) visits[visits.length - 1] = { ...visit, to: commit };
    const span = item === null ? undefined : items.get(item);
    if (item !== null && span) items.set(item, { ...span, to: commit });
  };
  for (const event of events) {
    switch (event.type) {
      case "cast_started":
        if (event.files && "commit" in event.files) {
          base = event.files.commit;
          last = base;
          left = event.files.left ?? {};
        } else problem = event.files?.problem ?? null;
        break;
      case "loop_entered":
        loop = event.loop;
        break;
      case "visit_started": {
        const { socket, visit, materia } = event;
        visits.push({ socket, visit, materia, from: last, to: last, files: null });
        item = event.item ? `${loop}/${event.item.key}` : null;
        if (item !== null && event.item && !items.has(item)) items.set(item, startItemSpan(loop, event.item, last));
        break;
      }
      case "checkpoint_taken":
        reach(event.files.commit);
        break;
      case "visit_completed": {
        const { files } = event;
        if (!files) break;
        const visit = visits.at(-1);
        if (visit) visits[visits.length - 1] = { ...visit, files };
        if (!("commit" in files)) break;
        left = files.left ?? {};
        reach(files.commit);
        break;
      }
      case "loop_joined":
      case "cast_resumed":
        // [V21] What items or somebody else did belongs to no visit, save where one was in the middle of its work.
        if (event.files && "commit" in event.files) last = event.files.commit;
        break;
      default:
        break;
    }
  }
  if (base === null) return { kind: "none", problem };
  const all = [...items.values(), ...mergedItemSpans(events)];
  return { kind: "kept", whole: { from: base, to: last }, visits, items: all, left };
}

function startItemSpan(
  loop: string,
  { key, title }: { readonly key: string; readonly title: string },
  at: string,
): ItemFileSpan {
  return { loop, key, title, from: at, to: at };
}

/** [V21] What was merged of an item that others were worked on beside lies between commits, not between its visits. */
function mergedItemSpans(events: Iterable<CastEvent>): readonly ItemFileSpan[] {
  const spans = new Map<string, ItemFileSpan>();
  const titles = new Map<number, string>();
  let tip = "";
  for (const event of events) {
    if (event.type === "loop_forked") tip = event.base ?? "";
    if (event.type === "item_started") titles.set(event.index, event.title);
    if (event.type !== "item_merged") continue;
    const { loop, index, commit } = event;
    const key = itemKey(index);
    spans.set(`${loop}/${key}`, { loop, key, title: titles.get(index) ?? "", from: tip, to: commit });
    tip = commit;
  }
  return [...spans.values()];
}
