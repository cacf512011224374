import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionManager } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";
import type { TurnOutcome, TurnRequest } from "../ports.ts";
import { hasErrorCode, MAX_FILE_BYTES, readRegularFileText } from "../system/files.ts";
import type { Pi } from "./pi-sdk.ts";
import {
  continuesEntry,
  handedOverText,
  modelName,
  parseTranscriptLine,
  readTurns,
  type TranscriptPart,
} from "../../core/cast/transcript.ts";
import { parseJson, withoutUndefined } from "../../core/model/json.ts";

/** The conversation of a visit. Pi holds it in memory; each entry is on disk before the next step. */
export interface OpenedTranscript {
  readonly session?: SessionManager;
  /** [A33] Whether a continued conversation was in another folder. */
  readonly hasMoved?: boolean;
  readonly problem: () => unknown;
  readonly isComplete: () => boolean;
  readonly close: () => void;
}

/** [A16, S7] Written here, at exactly the given path: Pi would write secrets that the agent has seen. */
export function openTranscript(pi: Pi, request: TurnRequest): OpenedTranscript {
  try {
    return openSessionTranscript(pi, request);
  } catch (thrown) {
    return { problem: () => thrown, isComplete: () => false, close: () => {} };
  }
}

function openSessionTranscript(
  pi: Pi,
  { transcript: path, cwd, history, redact, isSuperseded }: TurnRequest,
): OpenedTranscript {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sound = history === "fresh" ? "" : validPrefix(readIfExists(path));
  const session = pi.SessionManager.inMemory(cwd, undefined, pi.parseSessionEntries(sound));
  const lineOf = (entry: unknown): string => redact(`${JSON.stringify(entry)}\n`);
  const header = session.getHeader();
  writeBeginning(path, lineOf({ ...header, cwd: session.getCwd() }) + sound.slice(sound.indexOf("\n") + 1));
  let problem: unknown;
  let isClosed = false;
  let isComplete = true;
  onEntryAppended(session, (entry) => {
    // [D28] A reply that arrives after another process took the cast is dropped.
    if (isClosed || isSuperseded()) {
      isComplete = false;
      return;
    }
    try {
      appendFileSync(path, lineOf(entry));
    } catch (thrown) {
      isComplete = false;
      problem ??= thrown;
      throw thrown;
    }
  });
  // Pi passes the path of the conversation to each command of the agent.
  Object.defineProperty(session, "getSessionFile", { value: () => path });
  return {
    session,
    hasMoved: header?.cwd !== session.getCwd(),
    problem: () => problem,
    isComplete: () => isComplete,
    close: () => void (isClosed = true),
  };
}

/** A kill may cut the last line, a disk more. The conversation continues from the intact part. */
function writeBeginning(path: string, text: string): void {
  if (readIfExists(path) === text) return;
  // Do not write in place: a second kill must not lose the intact part.
  writeFileSync(`${path}.mended`, text, { mode: 0o600 });
  renameSync(`${path}.mended`, path);
}

type AppendMethod = (...given: readonly unknown[]) => unknown;

/** Every method of Pi that adds to a conversation sets a new last entry. */
function onEntryAppended(session: SessionManager, write: (entry: unknown) => void): void {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(session)).filter(
    (name) => name.startsWith("append") || name === "branchWithSummary",
  );
  for (const name of names) {
    const append = Reflect.get(session, name) as AppendMethod; // a method of the session
    const value: AppendMethod = (...given) => {
      const before = session.getLeafId();
      const answer = append.apply(session, [...given]);
      if (session.getLeafId() !== before) write(session.getLeafEntry());
      return answer;
    };
    Object.defineProperty(session, name, { value });
  }
}

function readIfExists(path: string): string {
  try {
    return readRegularFileText(path, MAX_FILE_BYTES.journal);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "";
    throw error;
  }
}

export function validPrefix(text: string): string {
  const ids = new Set<string>();
  let end = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const sound = end === 0 ? v.is(Header, parseJson(line)) : isEntry(line, ids);
    if (!sound) break;
    end += line.length;
  }
  return text.slice(0, end);
}

const Header = v.looseObject({ type: v.literal("session"), id: v.string(), version: v.number() });
const Entry = v.looseObject({ type: v.string(), id: v.string(), parentId: v.nullable(v.string()) });
const MessageEntry = v.looseObject({
  message: v.looseObject({
    role: v.string(),
    content: v.union([v.string(), v.array(v.looseObject({ type: v.string() }))]),
  }),
});

function isEntry(line: string, ids: Set<string>): boolean {
  const entry = parseJson(line);
  if (!v.is(Entry, entry) || (entry.type === "message" && !v.is(MessageEntry, entry))) return false;
  // An entry without its parent would silently start a conversation without history.
  if (entry.parentId !== null && !ids.has(entry.parentId)) return false;
  ids.add(entry.id);
  return true;
}

/** Characters of a token, and tokens of a picture: rough, for providers that report no usage. */
const TOKEN_CHARS = 4;
const PICTURE_TOKENS = 1_200;

/** [I4] The model and the size of a whole conversation; undefined unless every line is sound and the last message is a finished reply. */
export function readConversation(text: string): { readonly model: string; readonly tokens: number } | undefined {
  if (text === "" || validPrefix(text) !== text || !text.endsWith("\n")) return undefined;
  const messages = text.split("\n").flatMap((line) => parseTranscriptLine(line) ?? []);
  const last = messages.findLast(({ role }) => role === "assistant");
  const end = messages.at(-1);
  const isFinished = end === last ? last?.["stopReason"] === "stop" : end && handedOverText(end, last) !== undefined;
  if (!last || !isFinished) return undefined;
  const contentTokens = messages.reduce((sum, { content }) => sum + messageTokens(content), 0);
  const used = last.usage ? last.usage.input + last.usage.output : 0;
  return { model: modelName(last) ?? "", tokens: Math.max(contentTokens, used) };
}

function messageTokens(content: string | readonly TranscriptPart[]): number {
  if (typeof content === "string") return Math.ceil(content.length / TOKEN_CHARS);
  return content.reduce((sum, { type, text = "", thinking = "", arguments: given }) => {
    if (type === "image") return sum + PICTURE_TOKENS;
    const length = text.length + thinking.length + (given === undefined ? 0 : JSON.stringify(given).length);
    return sum + Math.ceil(length / TOKEN_CHARS);
  }, 0);
}

/** [I5] The transcript of a visit that continues another one. */
export function continueTranscript(earlier: string, visit: number): string {
  const last = v.parse(Entry, parseJson(earlier.trimEnd().split("\n").at(-1) ?? ""));
  return `${earlier}${JSON.stringify(continuesEntry(`${last.id}-continued`, last.id, visit))}\n`;
}

export type FinishedReply = Pick<Extract<TurnOutcome, { kind: "said" }>, "text" | "byTool">;

/** Reads the intact part of a transcript: requests, finished replies, and the usage of all requests, finished or not. */
export function readTranscript(text: string) {
  const { requests, replies, usage, model } = readTurns(validPrefix(text));
  const finished = replies.map(({ tools: _tools, ...reply }): FinishedReply => reply);
  return { requests, replies: finished, usage, ...withoutUndefined({ model }) };
}
