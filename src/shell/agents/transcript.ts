import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionManager } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";
import type { TurnRequest } from "../ports.ts";
import { MOST_BYTES, readRegularText } from "../system/regular-file.ts";
import type { Pi } from "./pi.ts";

/** [A16] The conversation of a visit, at exactly the path asked for. */
export function openTranscript(pi: Pi, request: TurnRequest): SessionManager {
  const { transcript: path, cwd } = request;
  mkdirSync(dirname(path), { recursive: true });
  if (request.history === "fresh") writeFileSync(path, "");
  else keepSoundPart(path);
  // Pi writes to an existing file from the first entry on, to a missing one only after the first answer.
  return pi.SessionManager.open(path, dirname(path), cwd);
}

/** A kill tears the last line, a disk may tear more; the conversation goes on from what is sound before it. */
function keepSoundPart(path: string): void {
  const text = readIfThere(path);
  const sound = soundPart(text);
  if (sound.length === text.length && text !== "") return;
  // Not in place: a second kill here must not cost the part that was sound.
  writeFileSync(`${path}.mended`, sound);
  renameSync(`${path}.mended`, path);
}

function readIfThere(path: string): string {
  try {
    return readRegularText(path, MOST_BYTES.journal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** What stands before the first line that is damaged, torn or out of place. */
export function soundPart(text: string): string {
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
  return v.is(Header, parsed(line));
}

function isEntry(line: string, ids: Set<string>): boolean {
  const entry = parsed(line);
  if (!v.is(Entry, entry) || (entry.type === "message" && !v.is(MessageEntry, entry))) return false;
  // An entry whose parent is lost would silently begin a conversation without a past.
  if (entry.parentId !== null && !ids.has(entry.parentId)) return false;
  ids.add(entry.id);
  return true;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
