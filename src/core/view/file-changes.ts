import type { CastEvent, EventOf } from "../cast/state/event.ts";
import type { Checkpoint, OmittedFiles, MissingCheckpoint } from "../model/checkpoint.ts";
import { commitAfter, foldVisits, type VisitRecord } from "../history/visits.ts";
import { itemKey } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import { oneLine, countedText } from "../model/text.ts";

export interface CheckpointSpan {
  readonly from: string;
  readonly to: string;
}

export interface ItemFileSpan extends CheckpointSpan {
  readonly loop: string;
  readonly key: string;
  readonly title: string;
}

/** [Y14] All spans of a cast between two checkpoints. */
export type CastFileSpans =
  | { readonly kind: "none"; readonly problem: string | null }
  | {
      readonly kind: "kept";
      readonly whole: CheckpointSpan;
      readonly visits: readonly (CheckpointSpan & Pick<VisitRecord, "socket" | "visit">)[];
      readonly items: readonly ItemFileSpan[];
      /** Files that the last checkpoint leaves out. */
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

/** [V40] The work of a parallel item is between two merge commits, not between visits of this cast. */
function mergedItemSpans(events: Iterable<CastEvent>): readonly ItemFileSpan[] {
  const spans = new Map<string, ItemFileSpan>();
  const titles = new Map<number, string>();
  let from = "";
  for (const event of events) {
    if (event.type === "loop_forked") from = event.base ?? "";
    if (event.type === "item_started") titles.set(event.index, event.title);
    if (event.type !== "item_merged") continue;
    const { loop, index, commit: to } = event;
    const key = itemKey(index);
    spans.set(`${loop}/${key}`, { loop, key, title: titles.get(index) ?? "", from, to });
    from = to;
  }
  return [...spans.values()];
}

/** `3 files, +41 −7`: the difference between two checkpoints. */
export function fileCountsText({ changed, added, removed }: Omit<Checkpoint, "commit">): string {
  return `${countedText(changed, "file")}, +${added} −${removed}`;
}

/** [Y7] The files that a visit changed; nothing if none differs at its end. */
export function fileChangesText(files: Checkpoint | MissingCheckpoint | undefined): string | undefined {
  if (!files) return undefined;
  if ("problem" in files) return `no checkpoint of the files: ${oneLine(files.problem, 200)}`;
  return files.changed === 0 ? undefined : `changed ${fileCountsText(files)}${omittedFilesText(files.left)}`;
}

/** [Y7] The names of changed files, and how many more there are. */
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

/** [Y4] Files that a checkpoint leaves out. */
export function omittedFilesText(left: OmittedFiles = {}): string {
  const { large = 0, unreadable = 0, nested = 0 } = left;
  const parts = [
    large > 0 && `${countedText(large, "file")} over 50 MB`,
    unreadable > 0 && `${countedText(unreadable, "file")} that cannot be read`,
    nested > 0 && countedText(nested, "repository inside", "repositories inside"),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "" : ` (without ${parts.join(", ")})`;
}

/** The author of a checkpoint: a visit, or others while the cast was stopped. */
export type CheckpointAuthor =
  | { readonly kind: "visit"; readonly socket: SocketId; readonly visit: number }
  | { readonly kind: "others"; readonly seq: number };

/** The authors of these checkpoints in order, each once. */
export function checkpointAuthors(
  events: Iterable<CastEvent>,
  commits: readonly string[],
): readonly CheckpointAuthor[] {
  const sought = new Set(commits);
  const authors = new Map<string, CheckpointAuthor>();
  for (const event of events) {
    if (event.type === "cast_resumed" && event.files && sought.has(event.files.commit))
      authors.set(`others ${event.seq}`, { kind: "others", seq: event.seq });
    if (event.type !== "checkpoint_taken" && event.type !== "visit_completed") continue;
    const { files, socket, visit } = event;
    if (files && "commit" in files && sought.has(files.commit))
      authors.set(`${socket}#${visit}`, { kind: "visit", socket, visit });
  }
  return [...authors.values()];
}
