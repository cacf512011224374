import { existsSync, writeFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext, ContextEvent, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { KeyId } from "@earendil-works/pi-tui";

/** The user's session as Pi provides it; after `/new`, `/reload` and the like every use of it throws. */
export interface UserSession {
  readonly pi: ExtensionAPI;
  readonly ctx: ExtensionContext;
}

/** The number of the last event of each cast that the person has seen here; Infinity while the session shows the cast. */
export type SeenCasts = Map<string, number>;

/** What a session knows of casts that others drive. */
export interface SessionCasts {
  readonly seen: SeenCasts;
  /** Another process continues a cast, which may wait here. */
  readonly onContinued: (castId: string) => void;
}

/** Runs an action on a session that may have been replaced since; undefined if it was. */
export function runUnlessReplaced<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (thrown) {
    if (isStaleSession(thrown)) return undefined;
    throw thrown;
  }
}

export async function runUnlessReplacedAsync<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (thrown) {
    if (isStaleSession(thrown)) return undefined;
    throw thrown;
  }
}

function isStaleSession(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes("stale after session replacement");
}

/** The card of a finished visit; never sent to a model. */
export const VISIT_ENTRY = "materia-visit";
/** The answer of a command that only reads; never sent to a model. */
export const ANSWER_ENTRY = "materia-answer";
/** The result of a cast: its only message in the user's conversation. */
export const RESULT_ENTRY = "materia-result";
/** The status of a cast for clients; never sent to a model. */
export const CAST_ENTRY = "materia-cast";
/** The prompt of an interactive agent; it and its answer belong to the cast, not to the user's conversation. */
export const TURN_ENTRY = "materia-turn";
/** The user's tools, model and thinking level, before a turn changes them and after they are restored. */
export const SETTINGS_ENTRY = "materia-settings";

type Messages = ContextEvent["messages"];

/** [X22] The conversation without the turns of casts: each from its prompt up to the user's next message. */
export function withoutCastTurns(messages: Messages): Messages {
  let inside = false;
  return messages.filter((message) => {
    const answer = message.role === "assistant" || message.role === "toolResult";
    inside = message.role === "custom" ? message.customType === TURN_ENTRY : inside && answer;
    return !inside;
  });
}

/** [X42] Only the last result of each cast: an earlier one of a resumed cast no longer holds. */
export function keepLastResults(messages: Messages): Messages {
  const last = new Map(messages.map((message, at) => [resultCastId(message), at]));
  return messages.filter((message, at) => {
    const castId = resultCastId(message);
    return castId === undefined || last.get(castId) === at;
  });
}

function resultCastId(message: Messages[number]): unknown {
  if (message.role !== "custom" || message.customType !== RESULT_ENTRY) return undefined;
  const { details } = message;
  return typeof details === "object" && details !== null && "castId" in details ? details.castId : undefined;
}

export function hasCastMessages(messages: Messages): boolean {
  const ours: readonly string[] = [TURN_ENTRY, RESULT_ENTRY];
  return messages.some((message) => message.role === "custom" && ours.includes(message.customType));
}

export function areSettingsChanged(branch: readonly SessionEntry[]): boolean {
  const data = newestEntryData(branch, SETTINGS_ENTRY);
  return typeof data === "object" && data !== null && "kind" in data && data.kind === "changed";
}

export function newestEntryData(branch: readonly SessionEntry[], customType: string): unknown {
  const entry = branch.findLast((each) => each.type === "custom" && each.customType === customType);
  return entry?.type === "custom" ? entry.data : undefined;
}

/** [X34] Pi writes a session only after a model has answered in it, which no cast does. Do it when the session is left: a file that Pi has not made would keep it from making one later. */
export function saveSessionFile(session: ExtensionContext["sessionManager"]): void {
  const file = session.getSessionFile();
  const header = session.getHeader();
  const entries = session.getEntries();
  if (file === undefined || header === null || existsSync(file) || !entries.some(isCastEntry)) return;
  const text = [header, ...entries].map((each) => `${JSON.stringify(each)}\n`).join("");
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch {
    // The session is gone: nobody can read an error.
  }
}

function isCastEntry(entry: SessionEntry): boolean {
  if (entry.type !== "custom" && entry.type !== "custom_message") return false;
  return entry.customType === VISIT_ENTRY || entry.customType === RESULT_ENTRY;
}

export type PiTui = typeof import("@earendil-works/pi-tui");

let loadedTui: PiTui | undefined;

/** Only Pi's own copy measures as Pi does: another release counts some characters differently. */
export function setPiTui(tui: PiTui): void {
  loadedTui = tui;
}

/** How Pi measures and cuts text, reads keys and draws Markdown. */
export function piTui(): PiTui {
  if (!loadedTui) throw new Error("the extension has not been registered");
  return loadedTui;
}

export const CONVERSATIONS_KEY: KeyId = "alt+w";
export const PATCH_KEY: KeyId = "alt+c";
export const NEXT_CARD_KEY: KeyId = "alt+o";
