import { error, fail, ok, type Result } from "../model/issue.ts";
import type { Command, TestCommand } from "./command.ts";
import { readCount } from "./amounts.ts";
import type { Options } from "./options.ts";
import type { CommandRow } from "./table.ts";
import { usageOf } from "./typed.ts";

export function readTest(paths: readonly string[], options: Options): TestCommand {
  const { watch, update, junit, trust } = options;
  const minCoverage = options["min-coverage"];
  return {
    kind: "test",
    paths,
    ...(watch ? { watch } : {}),
    ...(update ? { update } : {}),
    ...(trust ? { trust } : {}),
    ...(junit === undefined ? {} : { junit }),
    ...(minCoverage === undefined ? {} : { minCoverage }),
  };
}

export function readReplay([castId]: readonly string[], { all, loadout }: Options): Result<Command> {
  if (all && castId !== undefined)
    return fail(error("too_many_words", castId, "replay takes one cast or --all", "leave one of them out"));
  return ok({
    kind: "replay",
    ...(castId === undefined ? {} : { castId }),
    ...(all ? { all } : {}),
    ...(loadout === undefined ? {} : { loadout }),
  });
}

export function readFuzz([loadout]: readonly string[], { casts, items, seed, out }: Options): Result<Command> {
  const number = seed === undefined ? undefined : readCount(seed);
  if (seed !== undefined && number === undefined)
    return fail(error("bad_number", "--seed", `--seed needs a whole number, not "${seed}"`));
  const settings = {
    ...(casts === undefined ? {} : { casts }),
    ...(items === undefined ? {} : { items }),
    ...(number === undefined ? {} : { seed: number }),
  };
  return ok({
    kind: "fuzz",
    settings,
    ...(loadout === undefined ? {} : { loadout }),
    ...(out === undefined ? {} : { out }),
  });
}

export function readRecord([castId, file]: readonly string[], options: Options): Command {
  const { seed } = options;
  return {
    kind: "record",
    ...(castId === undefined ? {} : { castId }),
    ...(file === undefined ? {} : { file }),
    ...(seed === undefined ? {} : { seed }),
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
    ...(loadout === undefined ? {} : { loadout }),
    ...(request === undefined ? {} : { request }),
    ...(handoff === undefined ? {} : { handoff }),
    ...(here ? { here } : {}),
  };
}

export function readCompare(row: CommandRow, [first, second]: readonly string[]): Result<Command> {
  if (first === undefined || second === undefined)
    return fail(error("missing_cast_id", "compare", "compare needs two casts", usageOf(row)));
  return ok({ kind: "compare", first, second });
}

export function readForecast([loadout]: readonly string[], { items, model }: Options): Command {
  return {
    kind: "forecast",
    ...(loadout === undefined ? {} : { loadout }),
    ...(items === undefined ? {} : { items }),
    ...(model === undefined ? {} : { model }),
  };
}
