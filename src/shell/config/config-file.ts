import { statSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { parseJsonc } from "../../core/edit/json-edit.ts";
import { error, fail, failAll, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { depthExceeds, isJsonObject, type Json } from "../../core/model/json.ts";
import {
  isMissingFile,
  errorText,
  MAX_FILE_BYTES,
  readRegularFileText,
  createFile,
  readRegularFile,
  replaceFile,
} from "../system/files.ts";
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname, join, sep } from "node:path";

const MAX_BYTES = MAX_FILE_BYTES.config;
const MAX_DEPTH = 100;

/** Reads a JSON file with comments and trailing commas, or reports its faults. `undefined` if there is none. */
export function readJsonFile(file: string): Result<unknown> | undefined {
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) {
      const message = `the file is ${(size / 1024 / 1024).toFixed(1)} MB long; the limit is ${MAX_BYTES / 1024 / 1024} MB`;
      return failAt(file, error("file_too_large", "", message, "split it, or name another file"));
    }
    text = readRegularFileText(file, MAX_BYTES);
  } catch (thrown) {
    if (isMissingFile(thrown)) return undefined;
    return failAt(file, error("unreadable_file", "", `cannot read the file: ${errorText(thrown)}`));
  }
  return parseJson(file, text);
}

export function parseJson(file: string, written: string): Result<unknown> {
  // Some editors start a file with a byte order mark.
  const text = written.replace(/^\ufeff/, "");
  const value = parseJsonOrJsonc(file, text);
  if (!value.ok || !depthExceeds(value.value, MAX_DEPTH)) return value;
  return failAt(file, error("bad_json", "", `the file is nested more than ${MAX_DEPTH} levels deep`));
}

function parseJsonOrJsonc(file: string, text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text));
  } catch {
    // Comments, trailing commas or a fault: the slower parser handles all three and knows their positions.
  }
  if (text.trim() === "") {
    const hint = 'begin with { "materia": {}, "loadouts": {} }';
    return failAt(file, error("bad_json", "line 1, column 1", "the file is empty", hint));
  }
  try {
    const read = parseJsonc(text);
    return read.ok ? ok(read.value.value) : failAll(read.issues.map((issue) => ({ ...issue, file })));
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return failAt(file, error("bad_json", "", "the file is nested too deeply"));
  }
}

export function failAt(file: string, issue: Issue): Result<never> {
  return fail({ ...issue, file });
}

const ENCODING_HINT = "convert it first, for instance with iconv; nothing was changed";

export function readConfigText(file: string): Result<{ readonly text: string; readonly etag: string }> {
  try {
    const bytes = readRegularFile(file, MAX_FILE_BYTES.config);
    // [N28] An editor would write other bytes in their place.
    if (!isUtf8(bytes)) return failAt(file, error("invalid_utf8", "", "the file is not UTF-8 text", ENCODING_HINT));
    return ok({ text: bytes.toString("utf8"), etag: etagOf(bytes) });
  } catch (thrown) {
    return isMissingFile(thrown)
      ? failAt(file, error("missing_file", "", "there is no such file yet"))
      : failAt(file, error("unreadable_file", "", `cannot read the file: ${errorText(thrown)}`));
  }
}

/** Writes the whole file or nothing; returns the new tag. */
export function writeConfigText(
  file: string,
  text: string,
  { root, isNew }: { readonly root: string | undefined; readonly isNew: boolean },
): Result<string> {
  if (!text.isWellFormed())
    return failAt(file, error("invalid_utf8", "", "the text contains half a character", "remove it"));
  try {
    mkdirSync(dirname(file), { recursive: true });
    const elsewhere = refuseOutsideLink(file, root);
    if (elsewhere) return elsewhere;
    const bytes = Buffer.from(text);
    // A file that was created in between stays.
    if (isNew && !createFile(file, bytes, 0o666))
      return failAt(file, error("file_changed", "", "another program has just created it"));
    if (!isNew) replaceFile(file, bytes, statSync(file).mode & 0o777);
    return ok(etagOf(bytes));
  } catch (thrown) {
    return failAt(file, error("write_failed", "", `cannot write the file: ${errorText(thrown)}`));
  }
}

/** A link in the project may point anywhere; its target is not the project's to change. */
function refuseOutsideLink(file: string, root: string | undefined): Result<never> | undefined {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const folder = realpathSync(dirname(file)) + sep;
  const isOutside = root !== undefined && !folder.startsWith(join(realpathSync(root), sep));
  if (!isLink && !isOutside) return undefined;
  const message = isLink ? "the file is a link to another one" : "its folder is a link out of the project";
  return failAt(file, error("symbolic_link", "", message, "edit the file that it leads to"));
}

function etagOf(bytes: Buffer): string {
  return `"${createHash("sha256").update(bytes).digest("hex")}"`;
}

/** Keys in one order: moved lines do not change the meaning of a file. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/** The text that `init` writes: the smallest configuration with a role, a check and a bounded way back. */
export const STARTER_CONFIG = `{
  // Repeatable agent work for this project. Comments and trailing commas are fine.
  "$schema": "https://unpkg.com/pi-materia/schema/pi-materia.schema.json",

  // What "materia cast <prompt>" runs. "materia loadout" lists all there are.
  "activeLoadout": "Fix-And-Review",

  // A materia is a reusable role. The bundled ones can be used beside your own: "materia materia" lists them.
  "materia": {
    "Reviewer": {
      "description": "Reads the change and says whether it may stay.",
      "tools": "readOnly",
      "parse": "json",
      "prompt": "You review a change that somebody else has just made. Read the files concerned. Be satisfied only when the change does what was asked and nothing else.",
    },
  },

  // A loadout is a graph: sockets that each hold one materia, and edges that are tried in order.
  "loadouts": {
    "Fix-And-Review": {
      "entry": "Socket-1",
      "sockets": {
        "Socket-1": {
          "materia": "Build", // bundled
          "edges": [{ "when": "always", "to": "Socket-2" }],
        },
        "Socket-2": {
          "materia": "Reviewer",
          "edges": [
            // Back to Build with the reviewer's reason, at most twice.
            { "when": "not_satisfied", "to": "Socket-1", "maxTraversals": 2 },
            { "when": "satisfied", "to": "end" },
          ],
        },
      },
    },
  },
}
`;
