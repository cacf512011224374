import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isForeign, type Issue } from "../../../core/model/issue.ts";
import { harmless } from "../../../core/model/values/text.ts";
import { ownDialogs } from "../tui/calm-dialogs.ts";

/** [S10] Whether the person trusts the cast that they named, having seen all that it would run. Without a person nobody does. */
export async function trustsForeign(ctx: ExtensionContext, issues: readonly Issue[]): Promise<boolean> {
  if (!ctx.hasUI || !isForeign(issues)) return false;
  const said = issues.map(({ message }) => harmless(message)).join("\n");
  return ownDialogs(ctx).confirm("Trust exactly this cast?", `${said}.`);
}
