import * as v from "valibot";
import { LIMIT_NAMES } from "../cast/state/event.ts";
import { Rehearsal } from "../model/rehearsal.ts";
import { described, nonEmptyText, setting, wholeNumber } from "../model/schemas.ts";

const count = wholeNumber(0);
const texts = v.array(v.string());

/** Words that match any number of visits in an expected path. */
export const ANY_VISITS: readonly string[] = ["…", "..."];

/**
 * The answer of a person to a waiting agent: `true` approves the result, a text replies to it. For a cast that stopped
 * at a limit: how many more traversals the person allows.
 */
const PersonAnswer = v.union(
  [
    v.literal(true),
    v.pipe(v.string(), v.minLength(1)),
    v.strictObject({ reject: v.pipe(v.string(), v.minLength(1)) }),
    v.strictObject({ allow: wholeNumber(1) }),
  ],
  'is neither true, a text, { "reject": "why" } nor { "allow": 1 }',
);

export const TestCast = v.pipe(
  v.object({
    loadout: setting(v.string(), "The loadout to cast; the active one where none is named."),
    link: setting(v.pipe(v.array(v.string()), v.minLength(1, "is empty")), "The targets of a chain instead."),
    request: described(nonEmptyText, "What is asked for."),
    seed: setting(v.string(), "The folder, beside this file, whose copy is worked in."),
    git: v.optional(described(v.boolean(), "Make the copy a git repository with one commit."), false),
    answers: v.optional(
      described(
        v.array(PersonAnswer),
        "What the person says whenever the cast waits for one, or allows where it stopped at a limit, in order.",
      ),
      [],
    ),
  }),
  v.check(({ loadout, link }) => loadout === undefined || link === undefined, "names both a loadout and a link"),
);
export type TestCast = v.InferOutput<typeof TestCast>;

const FileExpectation = v.nullable(
  v.union(
    [
      v.string(),
      v.strictObject({ matches: v.pipe(v.string(), v.check(isRegularExpression, "is no regular expression")) }),
    ],
    'is neither the content, { "matches": "a regular expression" } nor null for no such file',
  ),
);

export const TestExpectations = v.object({
  outcome: setting(
    v.picklist(["completed", "not_satisfied", "failed", "aborted", "waiting"]),
    "How the cast ends, or that it waits for a person.",
  ),
  exitCode: setting(count, "What `cast` would exit with."),
  path: setting(texts, "The visits in order, by materia or socket; … stands for any number of them."),
  edges: setting(
    v.record(v.string(), count),
    "How often a way was taken: `Socket-2 not_satisfied Socket-1`, `exit ID`, `empty LOOP`.",
  ),
  items: setting(
    v.object({ done: v.optional(count), givenUp: v.optional(count) }),
    "How many items were done and given up.",
  ),
  state: setting(v.record(v.string(), v.unknown()), "Dotted path into state → its value; null where nothing is."),
  files: setting(
    v.record(v.string(), FileExpectation),
    'Path in the working folder → content, { "matches": "…" }, or null for no such file.',
  ),
  prompts: setting(
    v.record(v.string(), v.object({ contains: v.optional(texts, []), lacks: v.optional(texts, []) })),
    "Visit (`Build#2`, or `Build` for every one) → what its prompt contains and lacks.",
  ),
  turnsAtMost: setting(count, "How many turns the agents may have in all."),
  limit: setting(v.nullable(v.picklist(LIMIT_NAMES)), "The limit that stops the cast; null for none."),
});
export type TestExpectations = v.InferOutput<typeof TestExpectations>;

/** [T1] A rehearsal with the command to cast and the expected result. */
export const TestFile = v.object({
  ...Rehearsal.entries,
  cast: described(TestCast, "What is cast."),
  config: setting(v.string(), "A configuration beside this file, in place of the project's own."),
  expect: described(TestExpectations, "What must come of it."),
});
export type TestFile = v.InferOutput<typeof TestFile>;

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text, "mu").test("") || true;
  } catch {
    return false;
  }
}
