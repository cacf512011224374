import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";
import { THINKING_LEVELS } from "../../../core/model/materia.ts";
import type { TurnRequest } from "../../../shell/ports.ts";
import { ifStillHere, type Here } from "./here.ts";
import { newestEntry, SETTINGS } from "./marks.ts";

const Model = v.object({ provider: v.string(), id: v.string() });
type Model = v.InferOutput<typeof Model>;

/** Written into the session before anything is changed, so that a crash cannot lose it. */
const Changed = v.object({
  kind: v.literal("changed"),
  tools: v.array(v.string()),
  model: v.nullable(Model),
  thinking: v.picklist(THINKING_LEVELS),
});
type Changed = v.InferOutput<typeof Changed>;

/** The user's settings, out of the way for one turn. */
export interface Borrowed {
  /** Why the turn cannot have what it wants. */
  readonly problem?: string;
  /** Puts back what the user had, except what they have changed themselves meanwhile. */
  readonly giveBack: () => Promise<void>;
}

/** [X20] Sets tools, model and thinking level for a turn, after writing down what the user had. */
export async function borrowSettings(here: Here, wanted: TurnRequest): Promise<Borrowed> {
  const { pi, ctx } = here;
  const before: Changed = {
    kind: "changed",
    tools: pi.getActiveTools(),
    model: ctx.model ? { provider: ctx.model.provider, id: ctx.model.id } : null,
    thinking: pi.getThinkingLevel(),
  };
  pi.appendEntry(SETTINGS, before);
  let ours = true;
  let chosen = false;
  const stopWatching = pi.on("model_select", () => {
    if (!ours) chosen = true;
  });
  const giveBack = async (): Promise<void> => {
    stopWatching();
    await ifStillHere(() => putBack(here, chosen ? { ...before, model: null } : before));
  };
  try {
    pi.setActiveTools([...wanted.tools]);
    const problem = wanted.model === undefined ? undefined : await setModel(here, wanted.model);
    // A change of model resets the level, so it comes after.
    if (wanted.thinking !== undefined) pi.setThinkingLevel(wanted.thinking);
    ours = false;
    return problem === undefined ? { giveBack } : { problem, giveBack };
  } catch (thrown) {
    await giveBack();
    throw thrown;
  }
}

/** [X21] A session that was left in the middle of a turn gets back what it had before. */
export async function restoreSettings(pi: ExtensionAPI, ctx: ExtensionContext): Promise<boolean> {
  const left = v.safeParse(Changed, newestEntry(ctx.sessionManager.getBranch(), SETTINGS));
  if (!left.success) return false;
  await putBack({ pi, ctx }, left.output);
  return true;
}

async function putBack({ pi, ctx }: Here, { tools, model, thinking }: Changed): Promise<void> {
  pi.setActiveTools(tools);
  const current = ctx.model;
  if (model && (current?.provider !== model.provider || current.id !== model.id)) {
    const found = ctx.modelRegistry.find(model.provider, model.id);
    if (found) await pi.setModel(found);
  }
  if (pi.getThinkingLevel() !== thinking) pi.setThinkingLevel(thinking);
  pi.appendEntry(SETTINGS, { kind: "restored" });
}

async function setModel({ pi, ctx }: Here, wanted: string): Promise<string | undefined> {
  const slash = wanted.indexOf("/");
  const found = ctx.modelRegistry.find(wanted.slice(0, Math.max(0, slash)), wanted.slice(slash + 1));
  if (!found) return `Pi knows no model "${wanted}"`;
  return (await pi.setModel(found)) ? undefined : `there is no key for ${found.provider}`;
}
