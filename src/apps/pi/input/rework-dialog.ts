import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { deferDialogs, userOpenedDialogs } from "../tui/calm-dialogs.ts";
import type { ReworkLimit } from "../../../core/cast/limits/rework-limit.ts";
import type { ReworkDecision } from "../../../core/command/command.ts";
import { sanitizeForTerminal, oneLine } from "../../../core/model/values/text.ts";

const HINT = "Once more, with a hint";
const ACCEPT = "Accept it as it is";
const NEXT = "Give the item up, go on with the next";
const STOP = "Stop here";

/** [X45] What becomes of a result that was sent back too often; nothing where the cast is left as it is. */
export async function askReworkDecision(
  ctx: ExtensionContext,
  { item, reason }: ReworkLimit,
): Promise<ReworkDecision | undefined> {
  const why = oneLine(sanitizeForTerminal(reason), 160);
  const title = `It was sent back too often${why === "" ? "" : `: ${why}`}`;
  for (;;) {
    const chosen = await deferDialogs(ctx.ui, ctx.mode).select(title, [HINT, ACCEPT, ...(item ? [NEXT] : []), STOP]);
    if (chosen === ACCEPT) return { kind: "accept" };
    if (chosen === NEXT) return { kind: "next" };
    if (chosen !== HINT) return undefined;
    const text = (await userOpenedDialogs(ctx).input("What should be done otherwise?", ""))?.trim() ?? "";
    if (text !== "") return { kind: "hint", text };
  }
}
