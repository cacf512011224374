import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionManager } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";
import type { TurnRequest } from "../ports.ts";
import { MAX_FILE_BYTES, readRegularText } from "../system/files.ts";
import type { Pi } from "./pi-sdk.ts";
import { NO_USAGE, addUsage, type Usage } from "../../core/cast/state/usage.ts";
import { MessageUsage } from "../../core/cast/transcript.ts";

/** The conversation of a visit: Pi has it in memory, and what it adds stands on the disk before anything follows. */
export interface OpenedTranscript {
  /** Nothing where it could not be opened. */
  readonly session?: SessionManager;
  /** What kept a line of it from the disk. */
  readonly problem: () => unknown;
  /** Nothing more is written to it. */
  readonly close: () => void;
}

/** [A16, S7] At exactly the path asked for. Pi does not write it: what it would write holds whatever the agent has seen. */
export function openTranscript(pi: Pi, request: TurnRequest): OpenedTranscript {
  try {
    return openSessionTranscript(pi, request);
  } catch (thrown) {
    return { problem: () => thrown, close: () => {} };
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
  writeBeginning(path, sound === "" ? lineOf(session.getHeader()) : sound);
  let problem: unknown;
  let isClosed = false;
  onEntryAppended(session, (entry) => {
    // [D28] A reply that was in flight while the process slept is no longer its to keep.
    if (isClosed || isSuperseded()) return;
    try {
      appendFileSync(path, lineOf(entry));
    } catch (thrown) {
      problem ??= thrown;
      throw thrown;
    }
  });
  // Pi tells each command of the agent which conversation it belongs to.
  Object.defineProperty(session, "getSessionFile", { value: () => path });
  return {
    session,
    problem: () => problem,
    close: () => {
      isClosed = true;
    },
  };
}

/** A kill tears the last line, a disk may tear more; the conversation goes on from what is sound before it. */
function writeBeginning(path: string, text: string): void {
  if (readIfExists(path) === text) return;
  // Not in place: a second kill here must not cost the part that was sound.
  writeFileSync(`${path}.mended`, text, { mode: 0o600 });
  renameSync(`${path}.mended`, path);
}

type AppendMethod = (...given: readonly unknown[]) => unknown;

/** Every way in which Pi adds to a conversation ends with a new last entry. */
function onEntryAppended(session: SessionManager, write: (entry: unknown) => void): void {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(session)).filter(
    (name) => name.startsWith("append") || name === "branchWithSummary",
  );
  for (const name of names) {
    const append = Reflect.get(session, name) as AppendMethod; // one of its own methods
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
    return readRegularText(path, MAX_FILE_BYTES.journal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** What stands before the first line that is damaged, torn or out of place. */
export function validPrefix(text: string): string {
  const ids = new Set<string>();
  let end = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const sound = end === 0 ? isHeader(line) : isEntry(line, ids);
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

function isHeader(line: string): boolean {
  return v.is(Header, parseJsonLine(line));
}

function isEntry(line: string, ids: Set<string>): boolean {
  const entry = parseJsonLine(line);
  if (!v.is(Entry, entry) || (entry.type === "message" && !v.is(MessageEntry, entry))) return false;
  // An entry whose parent is lost would silently begin a conversation without a past.
  if (entry.parentId !== null && !ids.has(entry.parentId)) return false;
  ids.add(entry.id);
  return true;
}

function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What a transcript tells of a visit that was cut off. */
export interface TranscriptFacts {
  /** How often the agent was asked something. */
  readonly asked: number;
  /** Its finished answers, in order. */
  readonly replies: readonly string[];
  /** What all its requests used, finished or not. */
  readonly usage: Usage;
}

const NO_FACTS: TranscriptFacts = { asked: 0, replies: [], usage: NO_USAGE };

/** What the sound part of a transcript tells. */
export function readTranscript(text: string): TranscriptFacts {
  return validPrefix(text)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => v.safeParse(TranscriptLine, JSON.parse(line)))
    .reduce((story, line) => (line.success ? addMessage(story, line.output.message) : story), NO_FACTS);
}

const TranscriptLine = v.object({
  message: v.variant("role", [
    v.object({ role: v.literal("user") }),
    v.object({
      role: v.literal("assistant"),
      stopReason: v.string(),
      content: v.array(v.object({ type: v.string(), text: v.optional(v.string(), "") })),
      usage: MessageUsage,
    }),
  ]),
});
type Message = v.InferOutput<typeof TranscriptLine>["message"];

function addMessage({ asked, replies, usage }: TranscriptFacts, message: Message): TranscriptFacts {
  if (message.role === "user") return { asked: asked + 1, replies, usage };
  const said = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return {
    asked,
    replies: message.stopReason === "stop" ? [...replies, said] : replies,
    usage: addUsage(usage, message.usage),
  };
}
