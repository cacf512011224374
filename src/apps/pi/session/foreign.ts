import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { hasForeignCastIssue, type Issue } from "../../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../../core/model/values/text.ts";
import { userOpenedDialogs } from "../tui/calm-dialogs.ts";

/** [S10] Whether the person trusts the cast that they named, having seen all that it would run. Without a person nobody does. */
export async function askToTrustCast(ctx: ExtensionContext, issues: readonly Issue[]): Promise<boolean> {
  if (!ctx.hasUI || !hasForeignCastIssue(issues)) return false;
  const said = issues.map(({ message }) => sanitizeForTerminal(message)).join("\n");
  return userOpenedDialogs(ctx).confirm("Trust exactly this cast?", `${said}.`);
}
