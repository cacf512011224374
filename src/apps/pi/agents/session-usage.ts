import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Usage } from "../../../core/cast/state/usage.ts";
import { runUnlessReplaced } from "../session/user-session.ts";

/** Among what Pi's sessions can do, though not among what it promises of them; without it the figures are only ours. */
interface UsageRecorder {
  readonly appendUsage?: (kind: string, provider: string, model: string, usage: object, note?: string) => unknown;
}

/** [X40] What an agent in a session of its own used, among the figures of the user's session. */
export function addToSessionUsage(ctx: ExtensionContext, { input, output, cost }: Usage, model: string): void {
  if (input + output + cost === 0) return;
  const slash = model.indexOf("/");
  const usage = {
    input,
    output,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: input + output,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
  };
  runUnlessReplaced(() => {
    const session: object = ctx.sessionManager;
    const keeper: UsageRecorder = session;
    keeper.appendUsage?.(
      "materia",
      model.slice(0, Math.max(0, slash)),
      model.slice(slash + 1),
      usage,
      "a materia cast",
    );
  });
}
