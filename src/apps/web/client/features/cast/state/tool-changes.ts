import * as v from "valibot";
import { diffLines } from "../../../../../../core/edit/text/lines.ts";
import type { ToolBlock } from "./blocks.ts";

export interface ToolChange {
  readonly before: string;
  readonly after: string;
}

const Replaced = v.object({ oldText: v.string(), newText: v.string() });
const Edited = v.union([
  v.object({ edits: v.array(Replaced) }),
  v.pipe(
    Replaced,
    v.transform((one) => ({ edits: [one] })),
  ),
]);
const Written = v.object({ path: v.string(), content: v.string() });

/** A longer text is not compared line by line: it is shown as it was given. */
const MOST = 100_000;

/** [W34] What a call of `edit` or `write` puts in the place of what; nothing for any other call. */
export function changesIn({ name, args }: ToolBlock): readonly ToolChange[] {
  if (name === "edit") {
    const edited = v.safeParse(Edited, args);
    const changes = edited.success
      ? edited.output.edits.map(({ oldText, newText }) => ({ before: oldText, after: newText }))
      : [];
    return changes.every(({ before, after }) => before.length + after.length <= MOST) ? changes : [];
  }
  if (name !== "write") return [];
  const written = v.safeParse(Written, args);
  return written.success && written.output.content.length <= MOST
    ? [{ before: "", after: written.output.content }]
    : [];
}

/** `+3 −1`. */
export function countsText(changes: readonly ToolChange[]): string {
  const lines = changes
    .flatMap(({ before, after }) => diffLines(before, after))
    .filter(({ text, kind }) => kind === "new" || text !== "");
  const count = (kind: "new" | "gone"): number => lines.filter((line) => line.kind === kind).length;
  return `+${count("new")} −${count("gone")}`;
}
