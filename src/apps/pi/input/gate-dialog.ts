import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { harmless, oneLine } from "../../../core/model/values/text.ts";
import { calmDialogs, ownDialogs } from "../tui/calm-dialogs.ts";
import type { Resumption } from "../../../shell/casting/resume.ts";

const YES = "Yes";
const NOTED = "Yes, and pass on a note";
const NO = "No, and say why";
const LATER = "Later";

/** [Q8] Yes or no in a dialog; nothing where the person puts it off, or where there is no dialog. */
export async function askGate(
  ctx: ExtensionContext,
  question: string,
  signal: AbortSignal,
): Promise<Exclude<Resumption, { kind: "recast" }> | undefined> {
  const { ui, hasUI, mode } = ctx;
  if (!hasUI) return undefined;
  const [first = ""] = harmless(question).trim().split("\n");
  const title = oneLine(first, 200);
  const chosen = await calmDialogs(ui, mode).select(title, [YES, NOTED, NO, LATER], { signal });
  if (chosen === YES) return { kind: "finish" };
  if (chosen !== NOTED && chosen !== NO) return undefined;
  const what = chosen === NO ? "Why not?" : "What should be known?";
  const text = (await ownDialogs(ctx).input(what, "", { signal }))?.trim() ?? "";
  // A dialog that was left without a word has decided nothing.
  if (text === "") return undefined;
  return chosen === NO ? { kind: "reject", text } : { kind: "answer", text };
}
