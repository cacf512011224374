import * as v from "valibot";

export type SchemaCheck = (value: unknown) => boolean;

/** A fast check for the many lines of a journal; valibot is needed only to explain a damaged one. */
export function compileCheck(schema: v.GenericSchema): SchemaCheck {
  const { pipe } = schema as CheckSchemaParts; // each part is looked for before it is used
  if (pipe === undefined) return bareCheck(schema);
  const [first, ...actions] = pipe;
  const checks = actions.filter(({ type }) => !ACCEPTING_ACTIONS.includes(type));
  const begin = first as v.GenericSchema & CheckSchemaParts; // a pipe begins with a schema, which may be one with a pipe
  if (checks.length === 0) return compileCheck(begin);
  const quick = begin.pipe ? undefined : begin.type === "number" ? numberCheck(checks) : textCheck(checks);
  // Leave unknown actions to the schema.
  return quick ?? ((value) => v.is(schema, value));
}

interface CheckSchemaParts {
  readonly pipe?: readonly SchemaAction[];
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly wrapped?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly literal?: unknown;
  readonly options?: readonly unknown[];
  readonly check?: SchemaCheck;
}

interface SchemaAction {
  readonly type: string;
  readonly requirement?: unknown;
}

function bareCheck(schema: v.GenericSchema): SchemaCheck {
  const { entries, wrapped, item, literal, options, check } = schema as v.GenericSchema & CheckSchemaParts; // as above
  switch (schema.type) {
    case "string":
    case "boolean":
      return (value) => typeof value === schema.type;
    case "number":
      return (value) => typeof value === "number" && !Number.isNaN(value);
    case "literal":
      return (value) => value === literal;
    case "picklist":
      return (value) => options?.includes(value) ?? false;
    case "object":
      return objectCheck(Object.entries(entries ?? {}));
    case "array":
      return wrappedCheck(item, (inner) => (value) => Array.isArray(value) && value.every((each) => inner(each)));
    case "optional":
    case "exact_optional":
      return wrappedCheck(wrapped, (inner) => (value) => value === undefined || inner(value));
    case "nullable":
      return wrappedCheck(wrapped, (inner) => (value) => value === null || inner(value));
    case "union":
      return unionCheck(options);
    case "custom":
      return (value) => check?.(value) ?? false;
    default:
      return (value) => v.is(schema, value);
  }
}

function wrappedCheck(schema: v.GenericSchema | undefined, wrap: (inner: SchemaCheck) => SchemaCheck): SchemaCheck {
  return schema ? wrap(compileCheck(schema)) : () => false;
}

const NO_FIELD = { key: "", check: () => false };

function objectCheck(entries: readonly (readonly [string, v.GenericSchema])[]): SchemaCheck {
  const checks = entries.map(([key, schema]) => ({ key, check: compileCheck(schema) }));
  return (value) => {
    if (typeof value !== "object" || value === null) return false;
    const fields = value as Readonly<Record<string, unknown>>; // an object, as the line above has found
    for (let index = 0; index < checks.length; index += 1) {
      const { key, check } = checks[index] ?? NO_FIELD;
      if (!check(fields[key])) return false;
    }
    return true;
  };
}

function unionCheck(options: readonly unknown[] = []): SchemaCheck {
  const checks = options.map((option) => compileCheck(option as v.GenericSchema)); // as a union has them
  return (value) => {
    for (let index = 0; index < checks.length; index += 1) if (checks[index]?.(value) === true) return true;
    return false;
  };
}

const ACCEPTING_ACTIONS: readonly string[] = ["brand", "readonly", "description"];

/** One check for all bounds of a number: most fields of an event are numbers. */
function numberCheck(actions: readonly SchemaAction[]): SchemaCheck | undefined {
  const bound = (type: string): number | undefined =>
    actions
      .map((each) => (each.type === type ? Number(each.requirement) : Number.NaN))
      .find((each) => !Number.isNaN(each));
  if (!actions.every(({ type }) => ["integer", "min_value", "max_value"].includes(type))) return undefined;
  const isWhole = actions.some(({ type }) => type === "integer");
  const [least, most] = [bound("min_value") ?? -Infinity, bound("max_value") ?? Infinity];
  return (value) =>
    typeof value === "number" && value >= least && value <= most && (!isWhole || Number.isInteger(value));
}

function textCheck([action, ...more]: readonly SchemaAction[]): SchemaCheck | undefined {
  const { requirement } = action ?? {};
  if (more.length > 0 || !(requirement instanceof RegExp)) return undefined;
  // Lines repeat the same few names.
  let sound: unknown;
  return (value) => {
    if (typeof value !== "string") return false;
    if (value === sound) return true;
    if (!requirement.test(value)) return false;
    sound = value;
    return true;
  };
}

/** A whole number from `minimum` to the largest exact integer. */
export function wholeNumber(minimum: 0 | 1) {
  const whole = minimum === 0 ? "must be a whole number" : "must be a whole number of at least 1";
  return v.pipe(
    v.number(whole),
    v.integer(whole),
    v.minValue(minimum, minimum === 0 ? "must not be negative" : whole),
    v.maxValue(Number.MAX_SAFE_INTEGER, "is too large"),
  );
}

export function readonlyObject<const T extends v.ObjectEntries>(entries: T) {
  return v.pipe(v.object(entries), v.readonly());
}

export function described<const T extends v.GenericSchema>(schema: T, description: string) {
  return v.pipe(schema, v.description(description));
}

export function setting<const T extends v.GenericSchema>(schema: T, description: string) {
  return v.optional(described(schema, description));
}

export function exactSetting<const T extends v.GenericSchema>(schema: T, description: string) {
  return v.exactOptional(described(schema, description));
}

export const nonEmptyText = v.pipe(v.string(), v.minLength(1, "is empty"));
