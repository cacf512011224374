import type { Tool, AssistantMessage } from "@earendil-works/pi-ai";
import type { ContextWithSystemEvent, SessionBoundaryDraft, SessionEntry } from "@earendil-works/pi-coding-agent";
import { TURN_ENTRY } from "../session/user-session.ts";
import { sanitizeForTerminal } from "../../../core/model/text.ts";
import { visitLabel } from "../../../core/view/graph/labels.ts";
import { fitLine, line, toned } from "../../../core/view/line.ts";
import type { TurnRequest, TurnProgress } from "../../../shell/ports.ts";
import type { Card } from "../screen/card.ts";
import { plainProviderError, readRefusal } from "../../../core/cast/provider-refusal.ts";
import { waitOrAbort, type Timer } from "../../../shell/agents/turn-guard.ts";
import type { AgentRetryOptions } from "../../../shell/workspace/agent-hosts.ts";

type Messages = ContextWithSystemEvent["messages"];

/** The context of one turn in the user's session, in place of the user's conversation. */
export interface TurnContext {
  readonly turn: string;
  readonly system: string;
  readonly earlier: Messages;
}

/** [X18] The turn's system text and tools, the earlier turns of its visit, and the messages since it started. */
export function turnMessages(
  messages: Messages,
  { turn, system, earlier }: TurnContext,
  tools: readonly Tool[],
): Messages {
  const from = messages.findLastIndex((message) => message.role === "custom" && turnIdOf(message.details) === turn);
  const since = from === -1 ? [] : messages.slice(from).filter(({ role }) => role !== "system");
  const head = { role: "system" as const, content: system, toolsAdded: [...tools], timestamp: Date.now() };
  return [head, ...earlier, ...since];
}

/** [X22] Removes the turn from later requests; it stays on the screen and in the file. */
export function turnEntriesToHide(branch: readonly SessionEntry[], turn: string): SessionBoundaryDraft[] {
  const from = branch.findLastIndex(
    (entry) => entry.type === "custom_message" && entry.customType === TURN_ENTRY && turnIdOf(entry.details) === turn,
  );
  if (from === -1) return [];
  const isMessage = (entry: SessionEntry): boolean =>
    entry.type === "custom_message" || (entry.type === "message" && entry.message.role !== "system");
  return branch.slice(from).filter(isMessage).map(hideEntry);
}

/** Removes the last failed answer from the next try. */
export function failedAnswerToHide(branch: readonly SessionEntry[]): SessionBoundaryDraft[] {
  const last = branch.findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
  const isFailed = last?.type === "message" && "stopReason" in last.message && last.message.stopReason === "error";
  return isFailed ? [hideEntry(last)] : [];
}

function hideEntry({ id }: SessionEntry): SessionBoundaryDraft {
  return { type: "context_edit", targetId: id, replacement: null };
}

function turnIdOf(details: unknown): unknown {
  return typeof details === "object" && details !== null && "turn" in details ? details.turn : undefined;
}

const PROMPT_LINES = 4;
/** In columns, for each shown line. */
const MAX_COLUMNS = 200;

export function turnCard({ socket, materia, prompt }: TurnRequest): Card {
  const asked = sanitizeForTerminal(prompt).trim().split("\n");
  const head = line(toned("wait", "▸ "), toned("strong", visitLabel(socket, materia)));
  const cut = asked.length - PROMPT_LINES;
  const more = line(toned("dim", `│ … ${cut} more lines`));
  const quoted = asked.map((each) => line(toned("dim", "│ "), each));
  const shown = quoted.slice(0, PROMPT_LINES).map((each) => fitLine(each, MAX_COLUMNS));
  return { lines: [head, ...shown, ...(cut > 0 ? [more] : [])], opened: [head, ...quoted], wraps: true };
}

export type TurnRetries = ReturnType<typeof createTurnRetries>;

const BASE_DELAY_MS = 2000;

/** [X32] Failed requests of one turn. The session's own retries come first. If the cast allows fewer it ends them; if it allows more it continues. */
export function createTurnRetries(
  { maxRetries, baseDelayMs = BASE_DELAY_MS }: AgentRetryOptions,
  after: Timer,
  onProgress: (progress: TurnProgress) => void,
) {
  let failures = 0;
  let error = "";
  let reported = 0;
  const report = (delayMs: number): void => {
    if (reported === failures) return;
    reported = failures;
    onProgress({ kind: "retrying", attempt: failures, delayMs, error: plainProviderError(error) });
  };
  return {
    recordFailure: ({ errorMessage }: AssistantMessage): void => {
      failures += 1;
      error = errorMessage ?? "the request failed";
    },
    /** Called before a request: returns the error if there were too many tries. */
    exhaustedError: (): string | undefined => {
      if (failures === 0) return undefined;
      if (maxRetries !== undefined && failures > maxRetries) return plainProviderError(error);
      report(0);
      return undefined;
    },
    /** Called after a failure, before the session is idle: whether to retry, after a pause. */
    waitForRetry: async (signal: AbortSignal): Promise<boolean> => {
      if (maxRetries === undefined || failures > maxRetries || signal.aborted) return false;
      if (readRefusal({ text: error }, { now: Date.now() })?.kind !== "transient") return false;
      const delayMs = baseDelayMs * 2 ** (failures - 1);
      report(delayMs);
      if (delayMs > 0) await waitOrAbort(delayMs, after, signal);
      return !signal.aborted;
    },
  };
}
