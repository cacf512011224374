import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Journal } from "../ports.ts";
import type { CastEvent } from "../../core/cast/event.ts";
import { problemText } from "../system/problem.ts";
import { syncFolder } from "../system/sync.ts";
import { redactEvent } from "../secrets/events.ts";
import type { Redact } from "../secrets/redact.ts";

export type Durability = "write" | "sync";

/** An open journal: appended to by the one process that owns the cast, read by anyone at any time. */
export interface OpenJournal extends Journal {
  readonly close: () => void;
}

export function openJournal(
  file: string,
  { durability, redact }: { readonly durability: Durability; readonly redact: (text: string) => string },
): OpenJournal {
  const fd = openSync(file, "a");
  let size = fstatSync(fd).size;
  let open = true;
  if (durability === "sync") syncFolder(dirname(file));
  return {
    append: async (events) => {
      const bytes = Buffer.from(journalText(events, redact));
      try {
        writeWhole(fd, bytes);
        if (durability === "sync") fdatasyncSync(fd);
        size += bytes.length;
        return undefined;
      } catch (thrown) {
        takeBack(fd, size);
        return `the journal cannot be written: ${problemText(thrown)}`;
      }
    },
    close: () => {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

/** Most text holds no secret, and is not taken apart to look for one. */
function journalText(events: readonly CastEvent[], redact: Redact): string {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  return redact(text) === text
    ? text
    : events.map((event) => `${JSON.stringify(redactEvent(event, redact))}\n`).join("");
}

function writeWhole(fd: number, bytes: Buffer): void {
  // A disk that fills up may take a part and then refuse the rest.
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

function takeBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // What was half written stays as a torn last line; it is cut on resume.
  }
}
