import * as v from "valibot";

export type Check = (value: unknown) => boolean;

/**
 * A schema as one quick question: whether a value is of it. A journal has hundreds of thousands of lines, and all but a
 * damaged one are sound; what is wrong with that one says the schema itself.
 */
export function checkOf(schema: v.GenericSchema): Check {
  const { pipe } = schema as Parts; // each part is looked for before it is used
  if (pipe === undefined) return bareCheck(schema);
  const [first, ...actions] = pipe;
  const checks = actions.map(actionCheck);
  // What is not known here is left to the schema.
  if (first === undefined || checks.includes(undefined)) return (value) => v.is(schema, value);
  const rest = checks.filter((check) => check !== undefined && check !== always) as readonly Check[]; // none is undefined
  const base = bareCheck(first as v.GenericSchema); // a pipe begins with a schema
  if (rest.length === 0) return base;
  return (value) => base(value) && rest.every((check) => check(value));
}

/** What the schemas of an event are made of, as valibot keeps it. */
interface Parts {
  readonly pipe?: readonly Part[];
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly wrapped?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly literal?: unknown;
  readonly options?: readonly unknown[];
  readonly check?: Check;
}

interface Part {
  readonly type: string;
  readonly requirement?: unknown;
}

function bareCheck(schema: v.GenericSchema): Check {
  const { entries, wrapped, item, literal, options, check } = schema as v.GenericSchema & Parts; // as above
  switch (schema.type) {
    case "string":
    case "boolean":
    case "number":
      return (value) => typeof value === schema.type;
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
    case "custom":
      return (value) => check?.(value) ?? false;
    default:
      return (value) => v.is(schema, value);
  }
}

function wrappedCheck(schema: v.GenericSchema | undefined, wrap: (inner: Check) => Check): Check {
  return schema ? wrap(checkOf(schema)) : () => false;
}

function objectCheck(entries: readonly (readonly [string, v.GenericSchema])[]): Check {
  const checks = entries.map(([key, schema]) => ({ key, check: checkOf(schema) }));
  return (value) => {
    if (typeof value !== "object" || value === null) return false;
    const fields = value as Readonly<Record<string, unknown>>; // an object, as the line above has found
    for (const { key, check } of checks) if (!check(fields[key])) return false;
    return true;
  };
}

const always: Check = () => true;

/** Undefined for one that is not known here. */
function actionCheck({ type, requirement }: Part): Check | undefined {
  switch (type) {
    case "brand":
    case "readonly":
    case "description":
      return always;
    case "integer":
      return Number.isInteger;
    case "min_value":
      return (value) => Number(value) >= Number(requirement);
    case "max_value":
      return (value) => Number(value) <= Number(requirement);
    case "regex":
      return requirement instanceof RegExp ? (value) => requirement.test(String(value)) : undefined;
    default:
      return undefined;
  }
}
