import * as v from "valibot";
import { isJsonObject } from "../model/values/json.ts";
import { compileCheck } from "../model/values/quick-check.ts";
import { PROTOTYPE_KEYS, createRecord } from "../model/values/record.ts";

type SchemaReader = (value: unknown) => unknown;

/**
 * A schema as one quick reading: the value as the schema would give it, or nothing where anything about it is odd, be it
 * wrong or only unknown. A loadout may have thousands of sockets, and nearly all are sound; what is to be said of the
 * others says the schema itself.
 */
export function compileReader<const T extends v.GenericSchema>(
  schema: T,
): (value: unknown) => v.InferOutput<T> | undefined {
  return readerForSchema(schema);
}

/** What schemas of a configuration are made of, as valibot keeps it. */
interface ReaderSchemaParts {
  readonly type: string;
  readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[];
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly item?: v.GenericSchema;
  readonly key?: v.GenericSchema;
  readonly value?: unknown;
  readonly wrapped?: v.GenericSchema;
  readonly default?: unknown;
}

function readerForSchema(schema: v.GenericSchema): SchemaReader {
  const { type, pipe, entries, item, key, value: named }: ReaderSchemaParts = schema as ReaderSchemaParts; // each part is looked for before it is used
  const [first, ...actions] = pipe ?? [];
  const asked = actions.filter((action) => action.type !== "description");
  // A pipe begins with a schema, which may be one with a pipe of its own.
  if (first && asked.length === 0) return readerForSchema(first as v.GenericSchema);
  if (first && "pipe" in first) return leafReader(schema);
  if (type === "array" && item) return listReader(readerForSchema(item), asked);
  if (asked.length > 0) return leafReader(schema);
  if (type === "object" && entries) return objectReader(Object.entries(entries));
  if (type === "record" && key?.type === "string" && !("pipe" in key))
    return recordReader(readerForSchema(named as v.GenericSchema)); // the schema of a record's values
  return leafReader(schema);
}

/** What has no inside is kept as it is; what may have one is left to the schema, which drops what it does not know. */
function leafReader(schema: v.GenericSchema): SchemaReader {
  const isSound = compileCheck(schema);
  return (value) => (typeof value !== "object" && isSound(value) ? value : undefined);
}

function listReader(read: SchemaReader, asked: readonly { readonly type: string; readonly requirement?: unknown }[]): SchemaReader {
  const [least, ...others] = asked.map(({ type, requirement }) =>
    type === "min_length" ? Number(requirement) : Infinity,
  );
  const shortest = others.length > 0 ? Infinity : (least ?? 0);
  return (value) => {
    if (!Array.isArray(value) || value.length < shortest) return undefined;
    const list: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const inner = read(value[index]);
      if (inner === undefined) return undefined;
      list.push(inner);
    }
    return list;
  };
}

function recordReader(read: SchemaReader): SchemaReader {
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const keys = Object.keys(value);
    const names = createRecord(keys.length);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] ?? "";
      const inner = read(value[key]);
      if (inner === undefined) return undefined;
      names[key] = inner;
    }
    return PROTOTYPE_KEYS.some((key) => Object.hasOwn(value, key)) ? undefined : names;
  };
}

interface FieldReader {
  readonly key: string;
  readonly read: SchemaReader;
  readonly isOptional: boolean;
  /** What stands for it where it is left out. */
  readonly otherwise: unknown;
}

function objectReader(entries: readonly (readonly [string, v.GenericSchema])[]): SchemaReader {
  const fields = entries.map(([key, schema]) => fieldReader(key, schema));
  const known = new Set(entries.map(([key]) => key));
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    for (const key in value) if (!known.has(key)) return undefined;
    const object: Record<string, unknown> = {};
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index];
      if (!field) continue;
      const { key } = field;
      const written = value[key];
      if (written === undefined && (!field.isOptional || key in value)) return undefined;
      const meant = written === undefined ? field.otherwise : written;
      if (meant === undefined) continue;
      const inner = field.read(meant);
      if (inner === undefined) return undefined;
      object[key] = inner;
    }
    return object;
  };
}

function fieldReader(key: string, schema: v.GenericSchema): FieldReader {
  const { type, wrapped, default: otherwise } = schema as ReaderSchemaParts; // as above
  const isOptional = type === "optional" && wrapped !== undefined && typeof otherwise !== "function";
  return { key, read: readerForSchema(isOptional ? wrapped : schema), isOptional, otherwise };
}
