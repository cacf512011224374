import type { Tool } from "@earendil-works/pi-ai";
import type { ContextWithSystemEvent, SessionBoundaryDraft, SessionEntry } from "@earendil-works/pi-coding-agent";
import { TURN_ENTRY } from "../session/marks.ts";

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

/** [X22] Takes the turn out of what later requests are told; it stays on the screen and in the file. */
export function turnEntriesToHide(branch: readonly SessionEntry[], turn: string): SessionBoundaryDraft[] {
  const from = branch.findLastIndex(
    (entry) => entry.type === "custom_message" && entry.customType === TURN_ENTRY && turnIdOf(entry.details) === turn,
  );
  if (from === -1) return [];
  return branch.slice(from).flatMap((entry) => (isMessageEntry(entry) ? [hideEntry(entry.id)] : []));
}

/** The answer that failed last, out of what the next try is told. */
export function failedAnswerToHide(branch: readonly SessionEntry[]): SessionBoundaryDraft[] {
  const failed = branch.findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
  return failed?.type === "message" && failed.message.role === "assistant" && failed.message.stopReason === "error"
    ? [hideEntry(failed.id)]
    : [];
}

function hideEntry(targetId: string): SessionBoundaryDraft {
  return { type: "context_edit", targetId, replacement: null };
}

function isMessageEntry(entry: SessionEntry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && entry.message.role !== "system";
}

function turnIdOf(details: unknown): unknown {
  return typeof details === "object" && details !== null && "turn" in details ? details.turn : undefined;
}
