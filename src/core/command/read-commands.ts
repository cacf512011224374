import { readCount, type Options, type CommandArguments } from "./options.ts";
import { failWith, ok, type Result, suggest, typed } from "../model/issue.ts";
import { didYouMean } from "../model/text.ts";
import { SHELLS, parseTarget, type Command, type OpenCommand, type TestCommand } from "./command.ts";
import { usageOf } from "./command-text.ts";
import type { CommandRow } from "./command-table.ts";
import { withoutUndefined } from "../model/json.ts";

/** The completion scripts call `words -- …`. */
export function readCompletion(
  row: CommandRow,
  [first, ...more]: readonly string[],
  split: CommandArguments,
): Result<Command> {
  const shell = SHELLS.find((known) => known === first);
  if (first === "words" && more.length === 0)
    return ok({ kind: "completion", wants: { words: split.afterDelimiter ?? [] } });
  if (shell && more.length === 0 && split.afterDelimiter === undefined)
    return ok({ kind: "completion", wants: { shell } });
  const message = `completion supports ${SHELLS.join(", ")}`;
  return failWith("unknown_word", first ?? "completion", message, didYouMean(first ?? "", SHELLS) ?? usageOf(row));
}

export function readCasts(rest: readonly string[], { options }: CommandArguments): Result<Command> {
  if (rest[0] === undefined) return ok({ kind: "casts" });
  if (rest[0] !== "prune")
    return failWith("unknown_word", rest[0], `casts takes only "prune"`, suggest`${typed`status`} shows one cast`);
  if (options.keep === undefined && options["older-than"] === undefined) {
    return failWith(
      "missing_option",
      "prune",
      "prune needs --older-than or --keep",
      suggest`${typed`casts prune --older-than 30`} or ${typed`casts prune --keep 50`}`,
    );
  }
  return ok({
    kind: "prune",
    yes: options.yes === true,
    ...withoutUndefined({ keep: options.keep, olderThanDays: options["older-than"] }),
  });
}

export function readGrid(row: CommandRow, rest: readonly string[], split: CommandArguments): Result<Command> {
  const as = split.options.mermaid ? "mermaid" : "text";
  if (split.options.link) {
    if (rest.length === 0)
      return failWith("missing_target", "grid", "grid --link needs at least one materia or loadout", usageOf(row));
    return ok({ kind: "grid", as, link: rest.map(parseTarget) });
  }
  if (rest.length > 1)
    return failWith(
      "too_many_words",
      rest[1] ?? "",
      "grid takes one name",
      "quote a name with spaces, or use --link for a chain",
    );
  return ok({ kind: "grid", as, ...withoutUndefined({ name: rest[0] }) });
}

/** `Socket-4#2`, `Socket-4`, or the number of a visit: no cast id looks like these. */
const VISIT_PATTERN = /#|^Socket-\d+$|^\d{1,6}$/;

export function readOpen([first, second]: readonly string[], { trust }: Options): OpenCommand {
  const trusted = trust ? { trust } : {};
  if (first === undefined) return { kind: "open", ...trusted };
  if (second === undefined)
    return { kind: "open", ...(VISIT_PATTERN.test(first) ? { visit: first } : { castId: first }), ...trusted };
  return { kind: "open", castId: first, visit: second, ...trusted };
}

/** `last Socket-4#2`, `last@Socket-4#2`, or one word for a visit of the newest cast. */
export function readShow(words: readonly string[], { full, markdown, page }: Options): Command {
  const [first, second] = words.length === 1 ? (words[0]?.split("@", 2) ?? []) : words;
  const [castId, visit] =
    second === undefined && first !== undefined && VISIT_PATTERN.test(first) ? [undefined, first] : [first, second];
  return {
    kind: "show",
    ...withoutUndefined({ castId, visit, page }),
    ...(full ? { full } : {}),
    ...(markdown ? { markdown } : {}),
  };
}

export function readBudget(row: CommandRow, rest: readonly string[]): Result<Command> {
  const words = [...rest];
  const last = words.at(-1);
  const tokens = last === undefined ? undefined : readCount(last);
  if (tokens !== undefined) words.pop();
  if (words.length > 1) return failWith("bad_number", last ?? "", `"${last}" is not a number of tokens`, usageOf(row));
  const [castId] = words;
  return ok({
    kind: "budget",
    ...withoutUndefined({ castId, tokens }),
  });
}

export function readTest(paths: readonly string[], options: Options): TestCommand {
  const { watch, update, junit, trust } = options;
  const minCoverage = options["min-coverage"];
  return {
    kind: "test",
    paths,
    ...(watch ? { watch } : {}),
    ...(update ? { update } : {}),
    ...(trust ? { trust } : {}),
    ...withoutUndefined({ junit, minCoverage }),
  };
}

export function readReplay([castId]: readonly string[], { all, loadout }: Options): Result<Command> {
  if (all && castId !== undefined)
    return failWith("too_many_words", castId, "replay takes one cast or --all", "leave one of them out");
  return ok({
    kind: "replay",
    ...withoutUndefined({ castId }),
    ...(all ? { all } : {}),
    ...withoutUndefined({ loadout }),
  });
}

export function readFuzz([loadout]: readonly string[], { casts, items, seed, out }: Options): Result<Command> {
  const number = seed === undefined ? undefined : readCount(seed);
  if (seed !== undefined && number === undefined)
    return failWith("bad_number", "--seed", `--seed needs a whole number, not "${seed}"`);
  const settings = {
    ...withoutUndefined({ casts, items, seed: number }),
  };
  return ok({
    kind: "fuzz",
    settings,
    ...withoutUndefined({ loadout, out }),
  });
}

export function readRecord([castId, file]: readonly string[], options: Options): Command {
  const { seed } = options;
  return {
    kind: "record",
    ...withoutUndefined({ castId, file, seed }),
    ...(options["no-tools"] ? { noTools: true } : {}),
  };
}

export function readFork([named]: readonly string[], options: Options): Command {
  const [castId = "", ...visit] = (named ?? "").split("@");
  const { loadout, request, handoff, here } = options;
  return {
    kind: options.plan ? "fork_plan" : "fork",
    ...(castId === "" ? {} : { castId }),
    ...(visit.length === 0 ? {} : { visit: visit.join("@") }),
    ...withoutUndefined({ loadout, request, handoff }),
    ...(here ? { here } : {}),
  };
}

export function readCompare(row: CommandRow, [first, second]: readonly string[]): Result<Command> {
  if (first === undefined || second === undefined)
    return failWith("missing_cast_id", "compare", "compare needs two casts", usageOf(row));
  return ok({ kind: "compare", first, second });
}

export function readForecast([loadout]: readonly string[], { items, model }: Options): Command {
  return {
    kind: "forecast",
    ...withoutUndefined({ loadout, items, model }),
  };
}
