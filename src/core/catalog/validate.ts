import * as v from "valibot";
import { PROTOTYPE_KEYS, isJsonObject } from "../model/json.ts";
import { isValidName } from "../model/ids.ts";
import { error, isError, warning, type Issue, type KeyPath } from "../model/issue.ts";
import { didYouMean, oneLine } from "../model/text.ts";

type Schema = v.GenericSchema;

/** The value with its narrow type, or every problem with its position. */
export function validate<const T extends Schema>(
  schema: T,
  value: unknown,
  keys: KeyPath,
  unknownKeys: "ignored" | "refused" = "ignored",
): { readonly value?: v.InferOutput<T>; readonly issues: readonly Issue[] } {
  const unknown: Issue[] = [];
  findKeyIssues(schema, value, [...keys], unknown);
  const beside = unknownKeys === "ignored" ? unknown : unknown.map(asRefusal);
  const parsed = v.safeParse(schema, value);
  if (parsed.success && (unknownKeys === "ignored" || !beside.some(isError)))
    return { value: parsed.output, issues: beside };
  return { issues: [...(parsed.issues ?? []).flatMap((issue) => issuesOf(issue, keys)), ...beside] };
}

function asRefusal(issue: Issue): Issue {
  if (issue.code !== "unknown_key") return issue;
  const message = `"${oneLine(String(issue.path.at(-1) ?? ""), 60)}" is unknown`;
  return { ...issue, severity: "error", message };
}

/** A list that fits no alternative: its faulty entries are named, not the list. */
function issuesOf(issue: v.BaseIssue<unknown>, keys: KeyPath): readonly Issue[] {
  const entries = Array.isArray(issue.input) ? (issue.issues ?? []).filter(({ path }) => path) : [];
  if (entries.length === 0) return [issueOf(issue, keys)];
  return entries.flatMap((entry) => issuesOf(entry, [...keys, ...keysOf(issue)]));
}

function keysOf({ path }: v.BaseIssue<unknown>): KeyPath {
  return (path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
}

function issueOf(issue: v.BaseIssue<unknown>, keys: KeyPath): Issue {
  const inner = keysOf(issue);
  const path = [...keys, ...inner];
  const name = inner.at(-1) ?? keys.at(-1) ?? "the file";
  if (issue.received === "undefined") return error("missing_key", path, `"${name}" is missing`);
  const received = oneLine(issue.received, 60);
  if (issue.expected === "never") return error("unknown_key", path, `"${name}" is unknown`);
  if (!issue.message.startsWith("Invalid "))
    return error("bad_value", path, `"${name}" ${issue.message}; found ${received}`);
  const expected = (issue.expected ?? "another value")
    .replaceAll(" | ", " or ")
    .replace(/^\((.*)\)$/, "$1")
    .replace(/^Array$/, "a list")
    .replace(/^Object$/, "an object");
  return error("bad_value", path, `"${name}" must be ${expected}, not ${received}`);
}

/** Finds what the schemas accept. A misspelt `maxTraversal` must not mean "unlimited", and a record drops some keys. */
function findKeyIssues(schema: Schema, value: unknown, keys: (string | number)[], found: Issue[]): void {
  if (typeof value !== "object" || value === null) return;
  const shape = shapeOf(schema, value);
  if (!shape) return;
  if (shape.kind === "names" && Array.isArray(value)) {
    const message = `"${keys.at(-1) ?? "it"}" must be an object with names as keys, not a list`;
    found.push(error("bad_value", [...keys], message));
    return;
  }
  const visit = (key: string | number, inner: unknown): void => {
    const isKnown = shape.kind !== "object" || Object.hasOwn(shape.entries, key);
    const entry = shape.kind === "object" ? shape.entries[key] : shape.item;
    if (!isKnown || !entry) found.push(unknownKeyIssue(shape, String(key), keys));
    else if (shape.kind === "names" && PROTOTYPE_KEYS.includes(String(key)) && keys.at(-1) !== "sockets") {
      const code = keys.at(-1) === "assign" ? "bad_assign" : "bad_key";
      found.push(error(code, [...keys, key], `"${key}" is not a valid name here`));
    } else if (typeof inner === "object") {
      // One list for all levels: a loadout has thousands of positions and rarely an issue.
      keys.push(key);
      findKeyIssues(entry, inner, keys, found);
      keys.pop();
    }
  };
  if (Array.isArray(value)) value.forEach((inner, index) => visit(index, inner));
  else if (isJsonObject(value)) for (const key of Object.keys(value)) visit(key, value[key]);
}

function unknownKeyIssue(shape: SchemaShape, key: string, keys: KeyPath): Issue {
  const hint = shape.kind === "object" ? didYouMean(key, Object.keys(shape.entries)) : undefined;
  return warning("unknown_key", [...keys, key], `"${oneLine(key, 60)}" is unknown and ignored`, hint);
}

type SchemaShape =
  | { readonly kind: "object"; readonly entries: Readonly<Record<string, Schema>> }
  | { readonly kind: "list" | "names"; readonly item: Schema };

interface SchemaParts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly value?: unknown;
  readonly wrapped?: Schema;
  readonly options?: readonly unknown[];
}

function shapeOf(schema: Schema, value: object): SchemaShape | undefined {
  const parts: SchemaParts = schema;
  if (parts.type === "object" && parts.entries) return { kind: "object", entries: parts.entries };
  if (parts.type === "array" && parts.item) return { kind: "list", item: parts.item };
  if (parts.type === "record" && isSchema(parts.value)) return { kind: "names", item: parts.value };
  if (parts.wrapped) return shapeOf(parts.wrapped, value);
  if (parts.type === "union" && parts.options) {
    const option = parts.options.filter(isSchema).find((candidate) => candidate.type === "object");
    if (option && !Array.isArray(value)) return shapeOf(option, value);
  }
  return undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "schema";
}

export function nameIssues(name: string, keys: readonly string[]): readonly Issue[] {
  if (isValidName(name)) return [];
  const hint = "1 to 100 characters, no control characters, no space at either end";
  return [error("bad_name", keys, `"${oneLine(name, 60)}" is not a valid name`, hint)];
}
