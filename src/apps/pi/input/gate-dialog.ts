import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { sanitizeForTerminal, oneLine } from "../../../core/model/values/text.ts";
import { deferDialogs, userOpenedDialogs } from "../tui/calm-dialogs.ts";
import type { Resumption } from "../../../shell/casting/resume.ts";

const YES = "Yes";
const YES_WITH_NOTE = "Yes, and pass on a note";
const NO_WITH_REASON = "No, and say why";
const LATER = "Later";

/** [Q8] Yes or no in a dialog; nothing where the person puts it off, or where there is no dialog. */
export async function askGate(
  ctx: ExtensionContext,
  question: string,
  signal: AbortSignal,
): Promise<Exclude<Resumption, { kind: "recast" }> | undefined> {
  const { ui, hasUI, mode } = ctx;
  if (!hasUI) return undefined;
  const [first = ""] = sanitizeForTerminal(question).trim().split("\n");
  const title = oneLine(first, 200);
  const chosen = await deferDialogs(ui, mode).select(title, [YES, YES_WITH_NOTE, NO_WITH_REASON, LATER], { signal });
  if (chosen === YES) return { kind: "finish" };
  if (chosen !== YES_WITH_NOTE && chosen !== NO_WITH_REASON) return undefined;
  const what = chosen === NO_WITH_REASON ? "Why not?" : "What should be known?";
  const text = (await userOpenedDialogs(ctx).input(what, "", { signal }))?.trim() ?? "";
  // A dialog that was left without a word has decided nothing.
  if (text === "") return undefined;
  return chosen === NO_WITH_REASON ? { kind: "reject", text } : { kind: "answer", text };
}
