import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";
import { HAND_OVER } from "../../../core/model/handoff.ts";
import { THINKING_LEVELS } from "../../../core/model/materia.ts";
import { handOverDefinition } from "../../../shell/agents/turn-record.ts";
import type { TurnRequest } from "../../../shell/ports.ts";
import { runUnlessReplacedAsync, type UserSession, newestEntryData, SETTINGS_ENTRY } from "./user-session.ts";

const ModelRef = v.object({ provider: v.string(), id: v.string() });
type ModelRef = v.InferOutput<typeof ModelRef>;

/** Written to the session before any change, so that a crash cannot lose it. */
const SavedSettings = v.object({
  kind: v.literal("changed"),
  tools: v.array(v.string()),
  model: v.nullable(ModelRef),
  thinking: v.picklist(THINKING_LEVELS),
});
type SavedSettings = v.InferOutput<typeof SavedSettings>;

/** [X20] Sets tools, model and thinking level for a turn, after writing down the user's. `problem`: why that is not possible. */
export async function applyTurnSettings(
  user: UserSession,
  wanted: TurnRequest,
  lastReply: Parameters<typeof handOverDefinition>[1],
) {
  const { pi, ctx } = user;
  const before: SavedSettings = {
    kind: "changed",
    tools: pi.getActiveTools(),
    model: ctx.model ? { provider: ctx.model.provider, id: ctx.model.id } : null,
    thinking: pi.getThinkingLevel(),
  };
  pi.appendEntry(SETTINGS_ENTRY, before);
  let ours = true;
  let chosen = false;
  const stopWatching = pi.on("model_select", () => {
    if (!ours) chosen = true;
  });
  const restore = async (): Promise<void> => {
    stopWatching();
    await runUnlessReplacedAsync(() => restoreSaved(user, chosen ? { ...before, model: null } : before));
  };
  try {
    if (wanted.handOver) pi.registerTool(handOverDefinition(wanted.handOver, lastReply));
    pi.setActiveTools([...wanted.tools, ...(wanted.handOver ? [HAND_OVER] : [])]);
    const problem = wanted.model === undefined ? undefined : await selectModel(user, wanted.model);
    // A change of model resets the level, so set the level after it.
    if (wanted.thinking !== undefined) pi.setThinkingLevel(wanted.thinking);
    ours = false;
    return { problem, restore };
  } catch (thrown) {
    await restore();
    throw thrown;
  }
}

/** [X21] Restores the settings of a session that was left in the middle of a turn. */
export async function restoreSettings(pi: ExtensionAPI, ctx: ExtensionContext): Promise<boolean> {
  const left = v.safeParse(SavedSettings, newestEntryData(ctx.sessionManager.getBranch(), SETTINGS_ENTRY));
  if (!left.success) return false;
  await restoreSaved({ pi, ctx }, left.output);
  return true;
}

async function restoreSaved({ pi, ctx }: UserSession, { tools, model, thinking }: SavedSettings): Promise<void> {
  pi.setActiveTools(tools);
  const current = ctx.model;
  if (model && (current?.provider !== model.provider || current.id !== model.id)) {
    const found = ctx.modelRegistry.find(model.provider, model.id);
    if (found) await pi.setModel(found);
  }
  if (pi.getThinkingLevel() !== thinking) pi.setThinkingLevel(thinking);
  pi.appendEntry(SETTINGS_ENTRY, { kind: "restored" });
}

async function selectModel({ pi, ctx }: UserSession, wanted: string): Promise<string | undefined> {
  const slash = wanted.indexOf("/");
  const found = ctx.modelRegistry.find(wanted.slice(0, Math.max(0, slash)), wanted.slice(slash + 1));
  if (!found) return `Pi knows no model "${wanted}"`;
  return (await pi.setModel(found)) ? undefined : `there is no key for ${found.provider}`;
}
