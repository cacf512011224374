import * as fc from "fast-check";
import * as v from "valibot";

/** What a schema of ours is made of, as valibot keeps it. */
interface Parts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly wrapped?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly value?: v.GenericSchema;
  readonly items?: readonly v.GenericSchema[];
  readonly literal?: unknown;
  readonly options?: readonly unknown[];
  readonly pipe?: readonly Action[];
}

interface Action {
  readonly type: string;
  readonly requirement?: unknown;
  readonly pipe?: readonly Action[];
}

/** What is asked of a value; a pipe may begin with one. */
function actionsOf(pipe: readonly Action[]): readonly Action[] {
  return pipe.flatMap((action) => (action.pipe ? actionsOf(action.pipe) : action));
}

/** Values that a schema takes. */
export function sampleOf(schema: v.GenericSchema): fc.Arbitrary<unknown> {
  const {
    type,
    entries = {},
    wrapped,
    item,
    value: held,
    items = [],
    literal,
    options = [],
    pipe = [],
  } = schema as Parts; // asked by its type
  const inner = wrapped ?? item;
  const actions = actionsOf(pipe);
  const asked = (action: string): number | undefined => {
    const found = actions.find((each) => each.type === action);
    return found && Number(found.requirement);
  };
  switch (type) {
    case "string": {
      const pattern = actions.find(({ requirement }) => requirement instanceof RegExp);
      if (pattern) return fc.constantFrom("Socket-1", "work", "a1", "B-2");
      return fc.string({ minLength: asked("min_length") ?? 0 });
    }
    case "number":
      return actions.some(({ type: action }) => action === "integer")
        ? fc.integer({ min: 1, max: Math.min(1_000, asked("max_value") ?? 1_000) })
        : fc.constantFrom(0, 0.5, 12, -3);
    case "boolean":
      return fc.boolean();
    case "literal":
      return fc.constant(literal);
    case "picklist":
      return fc.constantFrom(...options);
    case "union":
      return fc.oneof(...options.map((option) => sampleOf(option as v.GenericSchema)));
    case "object":
      return fc.record(Object.fromEntries(Object.entries(entries).map(([key, each]) => [key, sampleOf(each)]))).map(
        // What may be absent is left out, not undefined.
        (value) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)),
      );
    case "array":
      return inner ? fc.array(sampleOf(inner), { minLength: asked("min_length") ?? 0, maxLength: 3 }) : fc.constant([]);
    case "optional":
    case "exact_optional":
      return inner ? fc.option(sampleOf(inner), { nil: undefined }) : fc.constant(undefined);
    case "nullable":
      return inner ? fc.option(sampleOf(inner), { nil: null }) : fc.constant(null);
    case "tuple":
      return fc.tuple(...items.map(sampleOf));
    case "record":
      return fc.dictionary(fc.constantFrom("work", "a1", "B-2"), held ? sampleOf(held) : fc.constant(null), {
        maxKeys: 3,
      });
    case "custom":
      // A function distinguishes objects and lists of work items from others.
      return fc
        .oneof(
          fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
          fc.constant([{ title: "a", context: "b" }]),
        )
        .filter((value) => v.is(schema, value));
    default:
      throw new Error(`no sample of ${type}`);
  }
}

/** No value of JSON is undefined: what is not there is left out. */
export const oddity = fc.oneof(
  fc.constantFrom(null, "", "end", "Socket-1", "a b", "always", true, false, [], {}, [null], { index: 0 }),
  fc.constantFrom(0, 1, -1, 1.5, 2 ** 53, Number.NaN, Infinity, -Infinity, "edge", "maxTokens", "exact"),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The value with one of its places, however deep, taken by another thing; or with that place left out. */
export function withChanged(value: unknown, at: number, odd: unknown): unknown {
  if (typeof value !== "object" || value === null) return odd;
  const keys = Object.keys(value);
  if (keys.length === 0 || at % 7 === 0) return odd;
  const key = keys[at % keys.length] ?? "";
  const inner: unknown = (value as Readonly<Record<string, unknown>>)[key]; // its own key
  if (at % 5 === 0) {
    const { [key]: _gone, ...rest } = value as Readonly<Record<string, unknown>>; // an object
    return rest;
  }
  const changed = at % 2 === 0 ? odd : withChanged(inner, Math.floor(at / 3), odd);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}
