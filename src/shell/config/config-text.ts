import { isUtf8 } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, sep } from "node:path";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { linkIfFree } from "../system/link.ts";
import { isMissingFile, errorText } from "../system/problem.ts";
import { MAX_FILE_BYTES, readRegularFile } from "../system/regular-file.ts";

interface TaggedText {
  readonly text: string;
  /** Differs whenever a byte of the file differs. */
  readonly etag: string;
}

const ENCODING_HINT = "convert it first, for instance with iconv; nothing was changed";

export function readConfigText(file: string): Result<TaggedText> {
  try {
    const bytes = readRegularFile(file, MAX_FILE_BYTES.config);
    // [N28] Whoever edits it as text would write other bytes in the place of these.
    if (!isUtf8(bytes)) return fail({ ...error("not_utf8", "", "the file is not UTF-8 text", ENCODING_HINT), file });
    return ok({ text: bytes.toString("utf8"), etag: etagOf(bytes) });
  } catch (thrown) {
    const issue = isMissingFile(thrown)
      ? error("missing_file", "", "there is no such file yet")
      : error("unreadable_file", "", `the file cannot be read: ${errorText(thrown)}`);
    return fail({ ...issue, file });
  }
}

/** The whole file or nothing of it; the answer is the new tag. */
export function writeConfigText(
  file: string,
  text: string,
  { root, isNew }: { readonly root: string | undefined; readonly isNew: boolean },
): Result<string> {
  if (!text.isWellFormed())
    return fail({ ...error("not_utf8", "", "the text holds half a character, which no file can", "remove it"), file });
  const folder = dirname(file);
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    mkdirSync(folder, { recursive: true });
    const elsewhere = refuseOutsideLink(file, root);
    if (elsewhere) return elsewhere;
    const bytes = Buffer.from(text);
    writeFileSync(draft, bytes, { flag: "wx", mode: isNew ? 0o666 : statSync(file).mode & 0o777 });
    // Whoever has made the file in between keeps it.
    if (isNew && !linkIfFree(draft, file)) return fail({ ...error("changed", "", "somebody has just made it"), file });
    if (!isNew) renameSync(draft, file);
    return ok(etagOf(bytes));
  } catch (thrown) {
    return fail({ ...error("cannot_write", "", `it cannot be written: ${errorText(thrown)}`), file });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link in the project may point anywhere; what it points to is not the project's to change. */
function refuseOutsideLink(file: string, root: string | undefined): Result<never> | undefined {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const folder = realpathSync(dirname(file)) + sep;
  const isOutside = root !== undefined && !folder.startsWith(realpathSync(root) + sep);
  if (!isLink && !isOutside) return undefined;
  const message = isLink ? "the file is a link to another one" : "its folder is a link that leads out of the project";
  return fail({ ...error("is_a_link", "", message, "edit it where it lies"), file });
}

function etagOf(bytes: Buffer): string {
  return `"${createHash("sha256").update(bytes).digest("hex")}"`;
}
