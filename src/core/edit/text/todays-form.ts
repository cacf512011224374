import { applyEdits, modify } from "jsonc-parser";
import { readAnyFormat } from "../../catalog/formats/formats.ts";
import type { FormatEdit } from "../../catalog/formats/edit.ts";
import { ok, type Result } from "../../model/issue.ts";
import { parseJsonc } from "./parse.ts";

/** [M8] The text of a configuration in today's form, comments kept beside the keys that stay; `more` is changed besides. */
export function upgradeConfigText(text: string, more: (value: unknown) => readonly FormatEdit[]): Result<string> {
  const read = parseJsonc(text);
  if (!read.ok) return read;
  const { edits, value } = readAnyFormat(read.value.value);
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return ok(
    [...edits, ...more(value)].reduce(
      (written, { path, value: next }) => applyEdits(written, modify(written, [...path], next, { formattingOptions })),
      text,
    ),
  );
}
