import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { findObject } from "../../../core/handoff/find.ts";
import { isWorkItem } from "../../../core/model/handoff.ts";
import type { Resumption } from "../../../shell/casting/resume.ts";
import { userOpenedDialogs } from "../tui/calm-dialogs.ts";

const APPROVE = "Approve: go on with it";
const REFINE = "Refine: say what should change";
const EDIT = "Edit it";
const ABORT = "Abort the cast";
const LATER = "Later";

/** What a person makes of the answer that a cast waits with; nothing where they put it off. */
export type ReplyDecision = Exclude<Resumption, { kind: "recast" }> | { readonly kind: "abort" } | undefined;

/** [X38] */
export async function askReplyDecision(ctx: ExtensionContext, reply: string): Promise<ReplyDecision> {
  for (;;) {
    const chosen = await userOpenedDialogs(ctx).select("What do you make of it?", [APPROVE, REFINE, EDIT, ABORT, LATER]);
    if (chosen === APPROVE) return { kind: "finish" };
    if (chosen === ABORT) return { kind: "abort" };
    if (chosen !== REFINE && chosen !== EDIT) return undefined;
    const decision = chosen === REFINE ? await askRefinement(ctx) : await editReply(ctx, reply);
    if (decision) return decision;
  }
}

async function askRefinement(ctx: ExtensionContext): Promise<ReplyDecision> {
  const text = (await userOpenedDialogs(ctx).input("What should change?", ""))?.trim() ?? "";
  return text === "" ? undefined : { kind: "answer", text };
}

/** What stands around a list in the reply is not part of it: only the list is edited, and taken as it was left. */
async function editReply({ ui }: ExtensionContext, reply: string): Promise<ReplyDecision> {
  const plan = workItemListIn(reply);
  let text = plan ? JSON.stringify(plan.object, undefined, 2) : reply;
  for (let title = "Edit it, then save"; ;) {
    const changed = await ui.editor(title, text);
    if (changed === undefined || changed.trim() === "") return undefined;
    if (!plan || workItemListIn(changed)) return { kind: "finish", reply: changed };
    // A slip in the brackets must not cost what was written.
    [title, text] = [NOT_A_LIST, changed];
  }
}

const NOT_A_LIST = "Not a list of work items yet: each needs a title and a context, in JSON. Edit it, then save";

/** The plan in a reply, where it holds one. */
export function workItemListIn(reply: string) {
  const object = findObject(reply)?.object;
  const items = object?.["workItems"];
  return object && Array.isArray(items) && items.every(isWorkItem) ? { object, items } : undefined;
}
