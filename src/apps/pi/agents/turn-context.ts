import type { Tool } from "@earendil-works/pi-ai";
import type { ContextWithSystemEvent, SessionBoundaryDraft, SessionEntry } from "@earendil-works/pi-coding-agent";
import { TURN_ENTRY } from "../session/user-session.ts";
import { sanitizeForTerminal } from "../../../core/model/text.ts";
import { visitLabel } from "../../../core/view/graph/labels.ts";
import { fitLine, line, toned, type Line } from "../../../core/view/line.ts";
import type { TurnRequest } from "../../../shell/ports.ts";
import type { Card } from "../screen/card.ts";

type Messages = ContextWithSystemEvent["messages"];

/** The context of one turn in the user's session, in place of the user's conversation. */
export interface TurnContext {
  /** Marks the first message of the turn. */
  readonly turn: string;
  readonly system: string;
  /** Earlier turns of the same visit, from its transcript. */
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
  return branch.slice(from).flatMap((entry) => (isMessageEntry(entry) ? [hideEntry(entry.id)] : []));
}

/** Removes the last failed answer from the next try. */
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

const PROMPT_LINES = 4;
/** In columns, for each shown line. */
const MAX_COLUMNS = 200;

/** The prompt of an interactive agent, as the person sees it above the answer. */
export function turnCard({ socket, materia, prompt }: TurnRequest): Card {
  const asked = sanitizeForTerminal(prompt).trim().split("\n");
  const head = line(toned("wait", "▸ "), toned("strong", visitLabel(socket, materia)));
  const cut = asked.length - PROMPT_LINES;
  const more = line(toned("dim", `│ … ${cut} more lines`));
  return {
    lines: [
      head,
      ...quotedLines(asked.slice(0, PROMPT_LINES)).map((each) => fitLine(each, MAX_COLUMNS)),
      ...(cut > 0 ? [more] : []),
    ],
    opened: [head, ...quotedLines(asked)],
    wraps: true,
  };
}

function quotedLines(lines: readonly string[]): readonly Line[] {
  return lines.map((each) => line(toned("dim", "│ "), each));
}
