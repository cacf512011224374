import type { TestCommand } from "./command.ts";
import type { Options } from "./options.ts";

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
