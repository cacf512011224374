// The JSON that commands print, as schemas. The page docs/json.md is written from them, and a test holds every command to them.
import { toJsonSchema } from "@valibot/to-json-schema";
import { QueueResponse } from "../src/core/wire/casts.ts";
import * as v from "valibot";
import { CastSummary } from "../src/core/cast/summary.ts";

const text = v.string();
const maybeText = v.nullable(text);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const amount = v.nullable(v.number());
const usage = v.looseObject({ input: v.number(), output: v.number(), cost: v.number() });
const range = v.strictObject({ p50: amount, p90: amount });

/** A problem, in refusals and in `check`. */
const Issue = v.strictObject({
  severity: v.picklist(["error", "warning", "info"]),
  code: text,
  file: maybeText,
  path: text,
  message: text,
  hint: maybeText,
});

/** [YD1] Of `check --bill` and `draft`. */
const Bill = v.strictObject({
  loadout: text,
  shape: text,
  worstCase: v.strictObject({ turns: maybeText, forItems: amount }),
  items: count,
  forecast: v.nullable(v.strictObject({ basis: text, casts: count, tokens: range, cost: v.nullable(range) })),
  writes: v.array(text),
  runs: v.array(v.strictObject({ materia: text, command: text })),
  otherTools: v.array(text),
  equipment: v.array(v.strictObject({ materia: text, part: text })),
  asksPerson: v.array(text),
  models: v.array(v.strictObject({ materia: text, model: text })),
  budget: v.looseObject({}),
});

const { entries: summary } = CastSummary;
const event = v.looseObject({ seq: count, at: text, type: text });
const visitDetail = {
  socket: text,
  visit: count,
  model: maybeText,
  usage,
  replies: v.array(
    v.strictObject({
      text,
      tools: v.array(
        v.strictObject({ name: text, arguments: v.optional(v.unknown()), failed: v.nullable(v.boolean()), said: text }),
      ),
    }),
  ),
};

export interface JsonShape {
  /** How the command is called; `<cast>` stands for an id. */
  readonly command: string;
  /** What it prints. */
  readonly prints: string;
  readonly schema: v.GenericSchema;
}

const shape = (command: string, prints: string, schema: v.GenericSchema): JsonShape => ({ command, prints, schema });

export const JSON_SHAPES: readonly JsonShape[] = [
  shape("<any command that is refused>", "with exit code 2, nothing else", v.strictObject({ issues: v.array(Issue) })),
  shape("cast, link, continue, recast, fork, watch", "one event of the journal a line", event),
  shape("casts", "newest first", v.array(v.strictObject(summary))),
  shape(
    "status <cast>",
    "the fields of `casts`, and where the cast is",
    v.looseObject({
      ...summary,
      position: v.nullable(v.looseObject({})),
      item: v.nullable(v.looseObject({})),
      asleep: v.nullable(v.looseObject({ until: text, provider: text, model: text })),
      elapsedMs: v.number(),
      last: v.nullable(v.strictObject({ text, ageMs: v.number() })),
      reason: maybeText,
      limit: v.nullable(v.looseObject({})),
      question: maybeText,
      next: v.array(v.strictObject({ command: text, does: text })),
      runDir: text,
    }),
  ),
  shape(
    "show <cast>",
    "the fields of `casts`, each visit with its replies and tools, and all events",
    v.looseObject({
      ...summary,
      command: text,
      targets: v.array(v.strictObject({ kind: text, name: text, layer: text, file: maybeText })),
      fromCastId: maybeText,
      details: v.array(v.strictObject(visitDetail)),
      events: v.array(event),
    }),
  ),
  shape(
    "show <cast> <visit>",
    "one visit with its prompt and its events",
    v.looseObject({ castId: text, materia: text, ...visitDetail, equipment: v.array(text), events: v.array(event) }),
  ),
  shape(
    "diff <cast>",
    "the changed files; without --stat and --name-only also the patch",
    v.strictObject({
      castId: text,
      from: text,
      to: text,
      changed: count,
      added: count,
      removed: count,
      files: v.array(v.looseObject({ status: text, path: text, added: amount, removed: amount })),
      left: v.looseObject({}),
      patch: v.optional(text),
    }),
  ),
  shape(
    "check",
    "all problems, and the most turns of each loadout",
    v.strictObject({
      issues: v.array(Issue),
      loadouts: v.array(v.strictObject({ name: text, file: maybeText, worstCase: maybeText })),
      unavailableTools: v.array(v.unknown()),
      changingInstructions: v.array(v.strictObject({ materia: text, variable: text })),
      bills: v.optional(v.array(Bill)),
    }),
  ),
  shape(
    "draft <words>",
    "a sound draft, its configuration and its bill",
    v.strictObject({
      name: text,
      config: v.looseObject({}),
      bill: Bill,
      rounds: count,
      usage,
      saved: maybeText,
    }),
  ),
  shape(
    "grid <loadout>",
    "the graph as it was compiled",
    v.looseObject({
      name: text,
      entry: text,
      sockets: v.array(v.looseObject({ id: text, materia: text, type: text, parse: text })),
      edges: v.array(v.looseObject({ id: text, from: text, to: text, when: maybeText, via: text })),
      loops: v.array(v.looseObject({ id: text })),
    }),
  ),
  shape(
    "loadout",
    "all loadouts",
    v.array(
      v.strictObject({
        name: text,
        active: v.boolean(),
        source: text,
        file: maybeText,
        description: maybeText,
        sound: v.boolean(),
      }),
    ),
  ),
  shape(
    "materia",
    "all materia",
    v.array(
      v.strictObject({
        name: text,
        type: text,
        generator: v.boolean(),
        interactive: v.boolean(),
        gate: v.boolean(),
        source: text,
        file: maybeText,
        description: maybeText,
      }),
    ),
  ),
  shape("materia <name>", "one materia as configured", v.looseObject({ name: text, source: text, type: text })),
  shape(
    "budget <cast>",
    "the limits and what is used",
    v.strictObject({ maxTokens: amount, maxCostUsd: amount, tokens: v.number(), cost: v.number() }),
  ),
  shape("abort <cast>", "what became of it", v.strictObject({ castId: text, status: text })),
  shape(
    "restore <cast>",
    "where the files are",
    v.strictObject({ castId: text, commit: text, folder: text, files: count, pointers: count }),
  ),
  shape(
    "open <cast> <visit>",
    "the session of Pi",
    v.strictObject({ castId: text, socket: text, visit: count, materia: text, session: text }),
  ),
  shape(
    "doctor",
    "the number of casts, and each damaged one as `doctor <cast>` prints it",
    v.strictObject({ casts: count, damaged: v.array(v.looseObject({ castId: text })) }),
  ),
  shape(
    "doctor <cast>",
    "what was verified",
    v.strictObject({
      castId: text,
      events: count,
      checked: count,
      files: v.array(v.unknown()),
      sound: v.boolean(),
      issues: v.array(v.unknown()),
    }),
  ),
  shape(
    "test",
    "each test, and what the tests do not cover",
    v.strictObject({
      tests: v.array(
        v.strictObject({
          file: text,
          ok: v.boolean(),
          failures: v.array(v.looseObject({ what: text, expected: v.unknown(), got: v.unknown(), where: v.unknown() })),
        }),
      ),
      coverage: v.record(text, v.strictObject({ taken: count, of: count, missing: v.array(text) })),
    }),
  ),
  shape("record <cast> <file>", "the written files", v.strictObject({ castId: text, file: text, seed: maybeText })),
  shape(
    "replay <cast>",
    "where the cast would go differently now",
    v.strictObject({
      castId: text,
      same: v.boolean(),
      differences: v.array(v.looseObject({ visit: maybeText, kind: text, message: text })),
    }),
  ),
  shape(
    "replay --all",
    "the same for all casts",
    v.strictObject({ casts: count, same: count, different: v.array(v.unknown()), refused: v.array(v.unknown()) }),
  ),
  shape(
    "fork <cast> --plan",
    "what a fork would reuse and run",
    v.strictObject({
      reused: v.array(text),
      saved: v.strictObject({ tokens: v.number(), cost: v.number() }),
      anew: v.array(v.strictObject({ visit: text, why: text })),
    }),
  ),
  shape(
    "inbox",
    "casts of all projects that need a person, each with the fields of `casts`",
    v.array(v.looseObject({ ...summary, project: text, cwd: text, needs: text, command: text })),
  ),
  shape("inbox done <cast>", "the casts that left the inbox", v.strictObject({ done: v.array(text) })),
  shape("queue, queue remove, queue move", "the requests in their order", QueueResponse),
  shape(
    "queue run --detach",
    "the process that runs the queue, absent if it is empty, and its requests",
    v.strictObject({ pid: v.optional(count), waiting: count }),
  ),
  shape(
    "queue add <request>",
    "how many were added, and how many its key knew",
    v.strictObject({ added: count, already: count }),
  ),
  shape(
    "queue run",
    "what became of each request",
    v.strictObject({
      casts: v.array(
        v.strictObject({
          request: text,
          castId: v.optional(text),
          status: text,
          cost: v.number(),
          issues: v.optional(v.array(Issue)),
        }),
      ),
      cost: v.number(),
      left: count,
      stopped: v.picklist(["end", "until", "cost", "limit", "interrupted"]),
    }),
  ),
  shape(
    "forecast",
    "what a cast will take",
    v.strictObject({
      loadout: text,
      casts: count,
      items: v.number(),
      turns: v.strictObject({ p50: amount, p90: amount, worst: amount }),
      worstCase: maybeText,
      tokens: range,
      cost: range,
      seconds: range,
      unknown: v.array(v.unknown()),
      otherModel: v.array(v.unknown()),
    }),
  ),
  shape(
    "stats",
    "figures of each materia and model",
    v.strictObject({ casts: count, rehearsed: count, materia: v.array(v.looseObject({ materia: text })) }),
  ),
  shape(
    "compare <cast> <cast>",
    "both casts, and their visits side by side",
    v.looseObject({
      first: v.looseObject({ castId: text }),
      second: v.looseObject({ castId: text }),
      visits: v.array(v.looseObject({ same: v.boolean() })),
    }),
  ),
  shape(
    "fuzz",
    "outcomes and findings of random casts",
    v.looseObject({
      loadout: text,
      casts: count,
      seed: v.number(),
      outcomes: v.record(text, count),
      mostTurns: count,
      findings: v.array(v.looseObject({ what: text, fault: v.boolean(), casts: count })),
    }),
  ),
  shape("export <cast>", "OTLP/JSON", v.strictObject({ resourceSpans: v.array(v.looseObject({})) })),
  shape("init", "the written file", v.looseObject({ file: text })),
  shape("completion <shell>", "the script", v.strictObject({ shell: text, script: text })),
  shape("help <command>", "the row of the command", v.looseObject({ name: text, usage: text, does: text })),
];

/** The page about JSON output. */
export function jsonText(): string {
  return `${[
    "# JSON output",
    "What commands print with `--json`, for scripts. Made by `npm run reference` from the schemas that the tests hold every command to. " +
      "Fields may be added; a field that is named here keeps its name and its type. `?` marks a field that may be missing, `| null` one that may be null, `…` that there are more.",
    ...JSON_SHAPES.map(
      ({ command, prints, schema }) =>
        `## \`${command}\`\n\nPrints ${prints}.\n\n\`\`\`text\n${describe(toJsonSchema(schema, { errorMode: "ignore" }), "")}\n\`\`\``,
    ),
  ].join("\n\n")}\n`;
}

interface SchemaPart {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly required?: readonly string[];
  readonly items?: SchemaPart;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaPart[];
  readonly additionalProperties?: unknown;
}

/** A schema as people read it. */
function describe(schema: unknown, indent: string): string {
  const {
    type,
    properties,
    required = [],
    items,
    enum: choices,
    const: constant,
    anyOf,
    additionalProperties,
  } = schema as SchemaPart; // a JSON Schema of ours
  if (anyOf) return anyOf.map((each) => describe(each, indent)).join(" | ");
  if (choices) return choices.map((each) => JSON.stringify(each)).join(" | ");
  if (constant !== undefined) return JSON.stringify(constant);
  if (type === "array") return `[${items ? describe(items, indent) : ""}, …]`;
  if (type !== "object") return typeof type === "string" ? type : "any value";
  const inner = `${indent}  `;
  const fields = Object.entries(properties ?? {}).map(
    ([name, each]) => `${inner}${name}${required.includes(name) ? "" : "?"}: ${describe(each, inner)}`,
  );
  if (fields.length === 0)
    return typeof additionalProperties === "object" &&
      additionalProperties !== null &&
      Object.keys(additionalProperties).length > 0
      ? `{ name: ${describe(additionalProperties, inner)}, … }`
      : "{ … }";
  const isOpen = additionalProperties !== false;
  return `{\n${[...fields, ...(isOpen ? [`${inner}…`] : [])].join("\n")}\n${indent}}`;
}
