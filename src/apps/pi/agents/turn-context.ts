import type { Tool } from "@earendil-works/pi-ai";
import type { ContextWithSystemEvent, SessionBoundaryDraft, SessionEntry } from "@earendil-works/pi-coding-agent";
import { TURN } from "../session/marks.ts";

type Messages = ContextWithSystemEvent["messages"];

/** What one turn in the user's session is told in place of the user's conversation. */
export interface TurnContext {
  /** Marks the message that the turn begins with. */
  readonly turn: string;
  readonly system: string;
  /** Earlier turns of the same visit, from its transcript. */
  readonly earlier: Messages;
}

/** [X18] The turn's own system text and tools, the earlier turns of its visit, and what has been said since it began. */
export function messagesOfTurn(
  messages: Messages,
  { turn, system, earlier }: TurnContext,
  tools: readonly Tool[],
): Messages {
  const from = messages.findLastIndex((message) => message.role === "custom" && turnOf(message.details) === turn);
  const since = from === -1 ? [] : messages.slice(from).filter(({ role }) => role !== "system");
  const head = { role: "system" as const, content: system, toolsAdded: [...tools], timestamp: Date.now() };
  return [head, ...earlier, ...since];
}

/** [X22] Takes the turn out of what later requests are told; it stays on the screen and in the file. */
export function entriesToHide(branch: readonly SessionEntry[], turn: string): SessionBoundaryDraft[] {
  const from = branch.findLastIndex(
    (entry) => entry.type === "custom_message" && entry.customType === TURN && turnOf(entry.details) === turn,
  );
  if (from === -1) return [];
  return branch.slice(from).flatMap((entry) => (isSaid(entry) ? [hidden(entry.id)] : []));
}

/** The answer that failed last, out of what the next try is told. */
export function failedEntries(branch: readonly SessionEntry[]): SessionBoundaryDraft[] {
  const failed = branch.findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
  return failed?.type === "message" && failed.message.role === "assistant" && failed.message.stopReason === "error"
    ? [hidden(failed.id)]
    : [];
}

function hidden(targetId: string): SessionBoundaryDraft {
  return { type: "context_edit", targetId, replacement: null };
}

function isSaid(entry: SessionEntry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && entry.message.role !== "system";
}

function turnOf(details: unknown): unknown {
  return typeof details === "object" && details !== null && "turn" in details ? details.turn : undefined;
}
