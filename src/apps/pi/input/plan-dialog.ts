import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { findObject } from "../../../core/handoff/find.ts";
import { isWorkItem } from "../../../core/model/handoff.ts";
import type { Resumption } from "../../../shell/casting/resume.ts";
import { ownDialogs } from "../tui/calm-dialogs.ts";

const APPROVE = "Approve: go on with it";
const REFINE = "Refine: say what should change";
const EDIT = "Edit it";
const ABORT = "Abort the cast";
const LATER = "Later";

/** What a person makes of the answer that a cast waits with; nothing where they put it off. */
export type PlanDecision = Exclude<Resumption, { kind: "recast" }> | { readonly kind: "abort" } | undefined;

/** [X38] */
export async function askPlan(ctx: ExtensionContext, reply: string): Promise<PlanDecision> {
  for (;;) {
    const chosen = await ownDialogs(ctx).select("What do you make of it?", [APPROVE, REFINE, EDIT, ABORT, LATER]);
    if (chosen === APPROVE) return { kind: "finish" };
    if (chosen === ABORT) return { kind: "abort" };
    if (chosen !== REFINE && chosen !== EDIT) return undefined;
    const decision = chosen === REFINE ? await refined(ctx) : await edited(ctx, reply);
    if (decision) return decision;
  }
}

async function refined(ctx: ExtensionContext): Promise<PlanDecision> {
  const text = (await ownDialogs(ctx).input("What should change?", ""))?.trim() ?? "";
  return text === "" ? undefined : { kind: "answer", text };
}

/** What stands around a list in the reply is not part of it: only the list is edited, and taken as it was left. */
async function edited({ ui }: ExtensionContext, reply: string): Promise<PlanDecision> {
  const plan = planIn(reply);
  let text = plan ? JSON.stringify(plan.object, undefined, 2) : reply;
  for (let title = "Edit it, then save"; ;) {
    const changed = await ui.editor(title, text);
    if (changed === undefined || changed.trim() === "") return undefined;
    if (!plan || planIn(changed)) return { kind: "finish", reply: changed };
    // A slip in the brackets must not cost what was written.
    [title, text] = [NO_LIST, changed];
  }
}

const NO_LIST = "Not a list of work items yet: each needs a title and a context, in JSON. Edit it, then save";

/** The plan in a reply, where it holds one. */
export function planIn(reply: string) {
  const object = findObject(reply)?.object;
  const items = object?.["workItems"];
  return object && Array.isArray(items) && items.every(isWorkItem) ? { object, items } : undefined;
}
