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
  readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[];
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
  switch (type) {
    case "string": {
      const pattern = pipe.find(({ requirement }) => requirement instanceof RegExp);
      return pattern ? fc.constantFrom("Socket-1", "work", "a1", "B-2") : fc.string();
    }
    case "number":
      return pipe.some(({ type: action }) => action === "integer")
        ? fc.integer({ min: 1, max: 1_000 })
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
      return inner ? fc.array(sampleOf(inner), { maxLength: 3 }) : fc.constant([]);
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
      // Objects and lists of work items are told from others by a function.
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
