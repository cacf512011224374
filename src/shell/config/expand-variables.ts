import { error, fail, ok, type Result } from "../../core/model/issue.ts";

const VARIABLE = /\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g;

/** Expands `$NAME` and `${NAME}` of the environment: a password need not be in a file. `at` is the place of the text. */
export function expandVariables(
  text: string,
  at: string,
  env: Readonly<Record<string, string | undefined>>,
): Result<string> {
  const missing = [...text.matchAll(VARIABLE)].flatMap(([, name = ""]) => (env[name] ? [] : [name]));
  if (missing.length > 0)
    return fail(
      ...missing.map((name) => error("missing_environment", at, `the environment variable ${name} is not set`)),
    );
  return ok(text.replace(VARIABLE, (_all, name: string) => env[name] ?? ""));
}
