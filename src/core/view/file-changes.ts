import type { CastEvent, EventOf } from "../cast/state/event.ts";
import type { Checkpoint, OmittedFiles, MissingCheckpoint } from "../model/checkpoint.ts";
import { commitAfter, foldVisits, type VisitRecord } from "../history/visits.ts";
import { itemKey } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import { oneLine, countedText } from "../model/text.ts";

/** Two checkpoints: what lay there before, and after. */
export interface CheckpointSpan {
  readonly from: string;
  readonly to: string;
}

export interface VisitFileSpan extends CheckpointSpan {
  readonly socket: SocketId;
  readonly visit: number;
}

export interface ItemFileSpan extends CheckpointSpan {
  readonly loop: string;
  readonly key: string;
  readonly title: string;
}

/** [Y14] Everything of a cast whose files can be looked at. */
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

export function castFileSpans(events: readonly CastEvent[]): CastFileSpans {
  const [first] = events;
  const files = first?.type === "cast_started" ? first.files : undefined;
  if (!files || "problem" in files) return { kind: "none", problem: files?.problem ?? null };
  const visits = foldVisits(events);
  const last = events.reduce((at, event) => commitAfter(event) ?? at, files.commit);
  return {
    kind: "kept",
    whole: { from: files.commit, to: last },
    visits: visits.map(({ socket, visit, startCommit, files: own }) => {
      const from = startCommit ?? files.commit;
      return { socket, visit, from, to: own?.to ?? from };
    }),
    items: [...itemSpans(visits).values(), ...mergedItemSpans(events)],
    left: events.reduce(omittedAfter, files.left ?? {}),
  };
}

/** Each item spans from its first visit to its last checkpoint. */
function itemSpans(visits: readonly VisitRecord[]): ReadonlyMap<string, ItemFileSpan> {
  const spans = new Map<string, ItemFileSpan>();
  for (const { item, startCommit, files } of visits) {
    if (!item) continue;
    const { loop, key, title } = item;
    const from = startCommit ?? "";
    const span = spans.get(`${loop}/${key}`) ?? { loop, key, title, from, to: from };
    spans.set(`${loop}/${key}`, files && "commit" in files.now ? { ...span, to: files.to } : span);
  }
  return spans;
}

function omittedAfter(left: OmittedFiles, event: CastEvent): OmittedFiles {
  if (event.type !== "visit_completed" || !event.files || !("commit" in event.files)) return left;
  return event.files.left ?? {};
}

/** [V40] What was merged of an item that others were worked on beside lies between commits, not between its visits. */
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

/** `3 files, +41 −7`: what lies between two checkpoints. */
export function fileCountsText({ changed, added, removed }: Omit<Checkpoint, "commit">): string {
  return `${countedText(changed, "file")}, +${added} −${removed}`;
}

/** [Y7] What a visit made of the files; nothing where it changed none, or changed back what it had. */
export function fileChangesText(files: Checkpoint | MissingCheckpoint | undefined): string | undefined {
  if (!files) return undefined;
  if ("problem" in files) return `files are not kept: ${oneLine(files.problem, 200)}`;
  return files.changed === 0 ? undefined : `changed ${fileCountsText(files)}${leftOutText(files.left)}`;
}

/** [Y7] The files by name, one a line, and how many more there are. */
export function changedFileNames(files: Checkpoint | MissingCheckpoint | undefined): readonly string[] {
  if (!files || "problem" in files) return [];
  const { names = [], changed } = files;
  return [
    ...names.map((name) => oneLine(name, 200)),
    ...(changed > names.length ? [`and ${changed - names.length} more`] : []),
  ];
}

/** [Y6] Changes by others while the cast was stopped. */
export function changedSinceText({ files }: EventOf<"cast_resumed">): string {
  return files ? `; ${fileCountsText(files)} changed since it stopped` : "";
}

/** [Y4] What a checkpoint does without. */
export function leftOutText(left: OmittedFiles = {}): string {
  const { large = 0, unreadable = 0, nested = 0 } = left;
  const parts = [
    ...(large > 0 ? [`${countedText(large, "file")} over 50 MB`] : []),
    ...(unreadable > 0 ? [`${countedText(unreadable, "file")} that cannot be read`] : []),
    ...(nested > 0 ? [nested === 1 ? "1 repository inside" : `${nested} repositories inside`] : []),
  ];
  return parts.length === 0 ? "" : ` (without ${parts.join(", ")})`;
}

/** Who made a checkpoint: a visit, or somebody else while the cast stood still. */
export type CheckpointAuthor =
  | { readonly kind: "visit"; readonly socket: SocketId; readonly visit: number }
  | { readonly kind: "meanwhile"; readonly seq: number };

/** The makers of these checkpoints in order, each once; a checkpoint that no event names has none. */
export function checkpointAuthors(
  events: Iterable<CastEvent>,
  commits: readonly string[],
): readonly CheckpointAuthor[] {
  const wanted = new Set(commits);
  const makers = new Map<string, CheckpointAuthor>();
  for (const event of events) {
    if (event.type === "cast_resumed" && event.files && wanted.has(event.files.commit))
      makers.set(`meanwhile ${event.seq}`, { kind: "meanwhile", seq: event.seq });
    if (event.type !== "checkpoint_taken" && event.type !== "visit_completed") continue;
    const { files, socket, visit } = event;
    if (files && "commit" in files && wanted.has(files.commit))
      makers.set(`${socket}#${visit}`, { kind: "visit", socket, visit });
  }
  return [...makers.values()];
}
