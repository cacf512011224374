import type { EventOf } from "../../cast/state/event.ts";
import type { Checkpoint, OmittedFiles, MissingCheckpoint } from "../../model/values/checkpoint.ts";
import { oneLine } from "../../model/values/text.ts";
import { countedText } from "../numbers.ts";

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

/** [Y6] What somebody changed while the cast stood still. */
export function changedMeanwhileText({ files }: EventOf<"cast_resumed">): string {
  return files ? `; meanwhile ${fileCountsText(files)} changed` : "";
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
