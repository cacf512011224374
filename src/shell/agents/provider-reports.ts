import type { AssistantMessage, Usage as PiUsage } from "@earendil-works/pi-ai";
import { estimateTokens, soundUsage, type Usage } from "../../core/cast/state/usage.ts";
import type { PiModel } from "./pi-sdk.ts";
import { SCRIPTED_MODEL } from "./scripted-provider.ts";

/** [A30] Dollars for a million tokens; estimated tokens cost that much. */
export type TokenPrices = Pick<PiModel["cost"], "input" | "output">;

/** [A19] Cached tokens count: they are part of the prompt, although cheaper. */
export function soundPiUsage({ input, cacheRead, cacheWrite, output, cost }: PiUsage): Usage {
  return soundUsage({ input: input + cacheRead + cacheWrite, output, cost: cost.total });
}

/** [A30] A finished reply of a real model has used something: without a report it is estimated. */
export function usageOfReply(message: AssistantMessage, sentTokens: number, prices: TokenPrices | undefined): Usage {
  const reported = soundPiUsage(message.usage);
  const isFinished = message.stopReason !== "error" && message.stopReason !== "aborted";
  const isSilent = isFinished && message.provider !== SCRIPTED_MODEL.provider && reported.input + reported.output === 0;
  if (!isSilent && !reported.estimated) return reported;
  const input = reported.input || sentTokens;
  const output = reported.output || estimateTokens(JSON.stringify(message.content));
  const perToken = ({ input: ofInput, output: ofOutput }: TokenPrices) => (input * ofInput + output * ofOutput) / 1e6;
  return soundUsage({ input, output, cost: Math.max(reported.cost, prices ? perToken(prices) : 0), estimated: true });
}
