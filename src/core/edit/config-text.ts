import { applyEdits, findNodeAtLocation, modify } from "jsonc-parser";
import { ok, type Result } from "../model/issue.ts";
import { isJsonObject, type Json, withJsonAt } from "../model/json.ts";
import { indentAt, parseJsonc, parseJsoncObject, updateJsonText } from "./json-edit.ts";
import { readAnyFormat, type FormatEdit } from "../catalog/format-0-1.ts";

export type ConfigSection = "materia" | "loadouts";

const NEW_FILE = '{\n  "materia": {},\n  "loadouts": {}\n}\n';

/** The text of one materia or loadout in a file, without its indentation there. */
export function entryText(file: string, section: ConfigSection, name: string): string | undefined {
  const read = parseJsonc(file);
  if (!read.ok) return undefined;
  const node = findNodeAtLocation(read.value.tree, [section, name]);
  if (!node) return undefined;
  const indent = indentAt(file, node.offset);
  return file
    .slice(node.offset, node.offset + node.length)
    .split("\n")
    .map((line, index) => (index > 0 && line.startsWith(indent) ? line.slice(indent.length) : line))
    .join("\n");
}

/** [E14] The file with one materia or loadout replaced and all other bytes unchanged; `null` removes it. */
export function withEntry(file: string, section: ConfigSection, name: string, text: string | null): Result<string> {
  const whole = file.trim() === "" ? NEW_FILE : file;
  const read = parseJsonc(whole);
  if (!read.ok) return read;
  if (text === null) return withSetting(whole, [section, name], null);
  // Create a missing entry first, then put the text there unchanged.
  const made = findNodeAtLocation(read.value.tree, [section, name])
    ? whole
    : withEmptyEntry(whole, read.value.value, section, name);
  const tree = parseJsonc(made);
  const node = tree.ok ? findNodeAtLocation(tree.value.tree, [section, name]) : undefined;
  if (!tree.ok || !node) return tree.ok ? ok(made) : tree;
  const indent = indentAt(made, node.offset);
  const eol = made.includes("\r\n") ? "\r\n" : "\n";
  const indented = text
    .trim()
    .split(/\r?\n/)
    .map((line, index) => (index === 0 || line === "" ? line : indent + line))
    .join(eol);
  return ok(made.slice(0, node.offset) + indented + made.slice(node.offset + node.length));
}

/** The file with one setting (`showBudget`, `maxTokens`) set and the rest unchanged; `null` removes it. */
export function withSetting(file: string, path: readonly string[], value: Json | null): Result<string> {
  const whole = file.trim() === "" ? "{}\n" : file;
  const read = parseJsonc(whole);
  if (!read.ok) return read;
  const before = read.value.value as Json; // parsed from JSON
  return ok(updateJsonText(whole, before, withJsonAt(before, path, value ?? undefined)));
}

/** [E27] Renames a materia in the sockets of the same file. */
export function withMateriaRenamed(file: string, was: string, now: string): string {
  const { loadouts, materia } = parseJsoncObject(file);
  const seats = entriesOf(loadouts).flatMap(([loadout, value]) =>
    entriesOf(isJsonObject(value) ? value["sockets"] : undefined)
      .filter(([, socket]) => isJsonObject(socket) && socket["materia"] === was)
      .map(([id]) => ["loadouts", loadout, "sockets", id, "materia"]),
  );
  const heirs = entriesOf(materia)
    .filter(([, value]) => isJsonObject(value) && value["extends"] === was)
    .map(([name]) => ["materia", name, "extends"]);
  return [...seats, ...heirs].reduce((text, path) => {
    const next = withSetting(text, path, now);
    return next.ok ? next.value : text;
  }, file);
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return Object.entries(isJsonObject(value) ? value : {});
}

/** [E25] Renames the active loadout of a file; a removed loadout is no longer active. */
export function withActiveLoadout(file: string, was: string, now: string | null): Result<string> {
  return parseJsoncObject(file)["activeLoadout"] === was ? withSetting(file, ["activeLoadout"], now) : ok(file);
}

function withValue(file: string, path: FormatEdit["path"], value: unknown): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyEdits(file, modify(file, [...path], value, { formattingOptions }));
}

function withEmptyEntry(file: string, value: unknown, section: ConfigSection, name: string): string {
  const hasSection = isJsonObject(value) && isJsonObject(value[section]);
  return withValue(hasSection ? file : withValue(file, [section], {}), [section, name], 0);
}

/** [M8] The text of a configuration in the current format with its comments; `more` makes further changes. */
export function upgradeConfigText(text: string, more: (value: unknown) => readonly FormatEdit[]): Result<string> {
  const read = parseJsonc(text);
  if (!read.ok) return read;
  const { edits, value } = readAnyFormat(read.value.value);
  const changes = [...edits, ...more(value)];
  return ok(changes.reduce((written, { path, value: next }) => withValue(written, path, next), text));
}
