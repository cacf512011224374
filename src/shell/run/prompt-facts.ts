import type { Effect } from "../../core/cast/next.ts";
import type { SocketConversation } from "../../core/cast/state/conversations.ts";
import type { Visit } from "../../core/cast/state/state.ts";
import { promptNeedsOf, type AgentPromptInput } from "../../core/prompt/agent-prompt.ts";
import { namedCodeText, type NamedLines } from "../../core/prompt/named-code.ts";
import type { EffectContext } from "../context/run-context.ts";
import type { Ports } from "../ports.ts";

export type PromptFacts = Pick<AgentPromptInput, "changes" | "changedSince" | "repository" | "code">;

/** [Y10, P13] Facts from git, read only for a prompt that uses them. */
export async function readPromptFacts(
  effect: Extract<Effect, { kind: "agent" }>,
  { state, ports, options }: EffectContext,
): Promise<PromptFacts> {
  const needs = promptNeedsOf(state, effect);
  const { files, pass, item } = state;
  // [Y10] Compared with the merged work, not with a tree that has conflict marks.
  const onto = item && item.window.tree !== null ? item.window.base : undefined;
  const from = onto ?? (pass === null ? files?.base : files?.item);
  const { continues, reworked } = effect.visit;
  if (continues) {
    // [V52] Of another attempt only the merged whole says what changed.
    const isMerged = continues.castId !== undefined && needs.changes && !reworked && files && onto !== undefined;
    return {
      changes: isMerged ? await ports.checkpoints?.describe(onto, files.last) : undefined,
      changedSince: await describeChangesSince(effect.visit, continues, { state, ports }),
    };
  }
  if (!needs.changes && !needs.repository && needs.code.size === 0) return {};
  const [changes, repository] = await Promise.all([
    needs.changes && files && from !== undefined
      ? ports.checkpoints?.describe(from, files.last, needs.contextLines)
      : undefined,
    needs.repository ? options.readRepository?.(files?.base) : undefined,
  ]);
  // [P17] Changes show the code, and the same lines are not shown twice.
  const code = files && !changes && needs.code.size > 0 ? await readNamedCode(needs.code, files.last, ports) : "";
  return { changes, repository, code };
}

/** [I6] What others have changed since the conversation ended; empty without checkpoints. */
async function describeChangesSince(
  { reworked }: Visit,
  { commit }: SocketConversation,
  { state, ports }: Pick<EffectContext, "state" | "ports">,
): Promise<string> {
  const last = state.files?.last;
  if (commit === null || last === undefined) return "";
  // A judge would look for a change; who mends makes it.
  if (commit === last) return reworked ? "" : "(no file has been changed)";
  // The conversation has the surroundings.
  return (await ports.checkpoints?.describe(commit, last, 1)) ?? "";
}

/** [P18] From the checkpoint: it has no ignored file, and no link leads out of it. */
async function readNamedCode(named: NamedLines, commit: string, { checkpoints }: Ports): Promise<string> {
  const read = [...named.keys()].map(
    async (path) => [path, (await checkpoints?.linesOf?.(commit, path)) ?? []] as const,
  );
  return namedCodeText(named, new Map(await Promise.all(read)));
}
