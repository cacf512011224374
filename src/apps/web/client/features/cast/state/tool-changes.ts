import * as v from "valibot";
import { diffLines } from "../../../../../../core/edit/text/lines.ts";
import type { ToolCallBlock } from "./blocks.ts";

export interface ToolChange {
  readonly before: string;
  readonly after: string;
}

const TextReplacement = v.object({ oldText: v.string(), newText: v.string() });
const EditArguments = v.union([
  v.object({ edits: v.array(TextReplacement) }),
  v.pipe(
    TextReplacement,
    v.transform((one) => ({ edits: [one] })),
  ),
]);
const WriteArguments = v.object({ path: v.string(), content: v.string() });

/** A longer text is not compared line by line: it is shown as it was given. */
const MAX_COMPARED_CHARS = 100_000;

/** [W34] What a call of `edit` or `writeConfig` puts in the place of what; nothing for any other call. */
export function toolChangesOf({ name, args }: ToolCallBlock): readonly ToolChange[] {
  if (name === "edit") {
    const edited = v.safeParse(EditArguments, args);
    const changes = edited.success
      ? edited.output.edits.map(({ oldText, newText }) => ({ before: oldText, after: newText }))
      : [];
    return changes.every(({ before, after }) => before.length + after.length <= MAX_COMPARED_CHARS) ? changes : [];
  }
  if (name !== "write") return [];
  const written = v.safeParse(WriteArguments, args);
  return written.success && written.output.content.length <= MAX_COMPARED_CHARS
    ? [{ before: "", after: written.output.content }]
    : [];
}

/** `+3 −1`. */
export function lineCountsText(changes: readonly ToolChange[]): string {
  const lines = changes
    .flatMap(({ before, after }) => diffLines(before, after))
    .filter(({ text, kind }) => kind === "new" || text !== "");
  const count = (kind: "new" | "gone"): number => lines.filter((line) => line.kind === kind).length;
  return `+${count("new")} −${count("gone")}`;
}
