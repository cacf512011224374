import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { socketOf } from "../../src/core/compile/graph.ts";
import { findObject } from "../../src/core/handoff/find-object.ts";
import { readHandoff, type HandoffReading } from "../../src/core/handoff/read-handoff.ts";
import { compiled } from "../harness/play.ts";
import { graph, satisfied, seat, socket } from "../harness/seats.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const sockets = {
  Eval: { ...seat("Eval", satisfied("end")), assign: { first: "$.workItems.0.title" } },
  Plan: seat("Plan"),
  Tool: { ...seat("Tool"), assign: { deep: "$.a.b.c", list: "state.list" } },
};

/** Read by an evaluator, a generator and a utility. */
const readers = Object.values(sockets).map((part) => {
  const { graph: made } = compiled(graph({ "Socket-1": part }));
  return (reply: string): HandoffReading =>
    readHandoff(made, socketOf(made, socket("Socket-1")), reply, { data: { list: [] }, item: null });
});

const tokens = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ":",
  ",",
  "```",
  "```json\n",
  "~~~\n",
  "\n",
  "\r\n",
  " ",
  "\ufeff",
  "true",
  "null",
  "-1e999",
  '"satisfied"',
  '"context"',
  '"workItems"',
  '"title"',
  '"__proto__"',
  '{"satisfied":true}',
  '{"a":{"b":{"c":1}}}',
  '[{"title":"a","context":"b"}]',
  "\ud800",
  "\0",
);
const noise = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(tokens, { maxLength: 40 }).map((all) => all.join("")),
);

it("[H7] no text makes the reader throw, and what is refused is explained", SWEEP, () => {
  fc.assert(
    fc.property(noise, (reply) => {
      for (const read of readers) {
        const reading = read(reply);
        expect(reading.ok || reading.problems.length > 0).toBe(true);
      }
    }),
    { numRuns: sweepSize(120, 2_000) },
  );
});

it("[H7] no JSON value makes the reader throw", SWEEP, () => {
  fc.assert(
    fc.property(fc.json(), (reply) => {
      for (const read of readers) expect(typeof read(reply).ok).toBe("boolean");
    }),
    { numRuns: sweepSize(50, 500) },
  );
});

it("[H1] a found object is the JSON of a part of the reply", SWEEP, () => {
  fc.assert(
    fc.property(noise, (reply) => {
      const found = findObject(reply);
      expect(!found || partsOf(reply).some((part) => isDeepStrictEqual(part, found.object))).toBe(true);
    }),
    { numRuns: sweepSize(60, 1_000) },
  );
});

function partsOf(reply: string): readonly unknown[] {
  const places = (character: RegExp): readonly number[] => [...reply.matchAll(character)].map((match) => match.index);
  return places(/\{/g).flatMap((from) =>
    places(/\}/g).flatMap((to) => (to > from ? parsed(reply.slice(from, to + 1)) : [])),
  );
}

function parsed(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

const word = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("```json\n{}\n```", '{"satisfied":false}', "}", "{", "[{", '"', "\\", "~~~\n", "\u2028", "\r\n"),
);
const handoff = fc.record(
  {
    workItems: fc.array(fc.record({ title: word, context: word }), { maxLength: 3 }),
    satisfied: fc.boolean(),
    context: word,
  },
  { requiredKeys: [] },
);
const sentence = fc
  .array(
    fc.constantFrom(
      "Here",
      "it's",
      'a 3" nail',
      '"quoted"',
      "{name}",
      "${x}",
      "[1]",
      "[sic]",
      "`code`",
      "100%",
      "\\",
      "so:",
      "\n",
      "(a, b)",
    ),
    { maxLength: 8 },
  )
  .map((words) => words.join(" "));

const wraps: Readonly<Record<string, (object: object, before: string, after: string) => string>> = {
  exact: (object) => `\n ${JSON.stringify(object)} \n`,
  "exact, pretty": (object) => JSON.stringify(object, undefined, 2).replaceAll("\n", "\r\n"),
  fenced: (object, before, after) => `${before}\n\`\`\`json\n${JSON.stringify(object, undefined, 2)}\n\`\`\`\n${after}`,
  "fenced, CRLF": (object, before, after) =>
    `${before}\r\n~~~\r\n${JSON.stringify(object, undefined, 2).replaceAll("\n", "\r\n")}\r\n~~~\r\n${after}`,
  "fenced, unclosed": (object, before) => `${before}\n\`\`\`\`\n${JSON.stringify(object)}\n`,
  embedded: (object, before, after) => `Well, ${before} ${JSON.stringify(object)} ${after}`,
  "embedded, pretty": (object, before, after) => `Well, ${before} ${JSON.stringify(object, undefined, 2)}\n${after}.`,
};

it("[H1, H2] a handoff in any wrapping is found as it was", SWEEP, () => {
  fc.assert(
    fc.property(handoff, fc.constantFrom(...Object.keys(wraps)), sentence, sentence, (object, how, before, after) => {
      const reply = wraps[how]?.(object, before, after) ?? "";
      expect(findObject(reply)).toMatchObject({ object, found: how.split(",")[0] });
    }),
    { numRuns: sweepSize(60, 1_000) },
  );
});

const SIZE = sweepSize(400_000, 5_000_000);
const filled = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length));
const nested = (open: string, middle: string, close: string): string => {
  const depth = Math.floor(SIZE / (open.length + close.length));
  return `${open.repeat(depth)}${middle}${close.repeat(depth)}`;
};

it.each<[rule: string, reply: string]>([
  ["[H7] opening braces", filled("{")],
  ["[H7] objects that begin", filled('{"')],
  ["[H7] objects that begin with a key", filled('{"a":')],
  ["[H7] objects that end in a string", filled('{"a":"')],
  ["[H7] opening brackets", filled("[")],
  ["[H7] brackets and braces", filled('[{"')],
  ["[H7] closing brackets", filled("}]")],
  ["[H7] fences", filled("```\n")],
  ["[H7] fences with a language", filled("```json\n")],
  ["[H7] fences of both kinds", filled("```\n{\n~~~\n")],
  ["[H7] one long fence", filled("`")],
  ["[H7] backslashes", filled("\\")],
  ["[H7] backslashes in a string", `{"context":"${filled("\\")}`],
  ["[H7] quotation marks", filled('"')],
  ["[H7] a brace and blanks", `{${filled(" ")}`],
  ["[H7] braces and blanks", filled("{    ")],
  ["[H7] empty objects", filled("{}")],
  ["[H7] cut-off lines", filled('{"level":"info","message":"cut\n')],
  ["[H7] lists in lists", nested("[", "", "]")],
  ["[H7] objects in objects", nested('{"a":', "1", "}")],
  ["[H7] lists around a fault", nested("[", "x", "]")],
  ["[H7] objects around a fault", nested('{"a":', "x", "}")],
  ["[H7] a state of great depth", `{"state":${nested('{"a":', "1", "}")}}`],
  ["[H7] 5 MB of context", JSON.stringify({ satisfied: true, context: filled("word ") })],
  ["[H7] byte order marks", filled("\ufeff")],
  ["[H7] line breaks", filled("\r\n")],
])(`%s: ${SIZE} bytes are read to the end`, SWEEP, (_rule, reply) => {
  // The utility's reader looks deepest.
  expect(typeof readers.at(-1)?.(reply).ok).toBe("boolean");
});
