import { error, type Issue } from "../model/issue.ts";
import { AgentMateria, PersonMateria, UtilityMateria, type Materia } from "../model/materia.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { didYouMean, oneLine } from "../model/text.ts";
import { BUNDLED_SCRIPT_NAMES } from "./bundled-utilities.ts";
import { nameIssues, validate } from "./validate.ts";

interface MateriaReading {
  readonly value?: Materia | undefined;
  readonly issues: readonly Issue[];
}

export function readMateria(
  name: string,
  raw: unknown,
): { readonly name: string; readonly raw?: JsonObject } & MateriaReading {
  const named = nameIssues(name, ["materia", name]);
  const written = isJsonObject(raw) ? { raw } : {};
  // The base may be in any layer, so it is checked when all layers are known.
  if (isJsonObject(raw) && typeof raw["extends"] === "string") return { name, ...written, issues: named };
  const { value, issues } = readCompleteMateria(name, raw);
  return { name, ...written, value, issues: [...named, ...issues] };
}

export function readCompleteMateria(name: string, raw: unknown): MateriaReading {
  const keys = ["materia", name];
  const { value, issues } = validate(schemaFor(raw), raw, keys);
  const own = [...programIssues(value, keys), ...gateIssues(value, keys)];
  const misplaced = wrongKindIssues(raw, keys);
  // Each problem once: to its own type such a key is also unknown.
  const others = issues.filter(({ path }) => !misplaced.some((issue) => issue.path.join() === path.join()));
  return { value, issues: [...misplaced, ...others, ...own] };
}

function schemaFor(raw: unknown) {
  const type = isJsonObject(raw) ? raw["type"] : undefined;
  return type === "utility" ? UtilityMateria : type === "person" ? PersonMateria : AgentMateria;
}

function programIssues(materia: Materia | undefined, keys: readonly string[]): readonly Issue[] {
  if (materia?.type !== "utility") return [];
  const { command, script } = materia;
  if (command === undefined && script === undefined) {
    const hint = 'add "command": ["node", "my-script.mjs"], or "script" with a bundled name';
    return [error("missing_key", keys, "a utility needs a program", hint)];
  }
  if (command !== undefined && script !== undefined)
    return [error("bad_value", keys, 'a utility has either "command" or "script", not both')];
  if (script === undefined || BUNDLED_SCRIPT_NAMES.includes(script)) return [];
  const hint = didYouMean(script, BUNDLED_SCRIPT_NAMES) ?? `the bundled ones are ${BUNDLED_SCRIPT_NAMES.join(", ")}`;
  return [error("unknown_script", [...keys, "script"], `there is no bundled utility "${oneLine(script, 60)}"`, hint)];
}

/** [Q3] A gate answers yes or no: it has nothing to parse, and no list. */
function gateIssues(materia: Materia | undefined, keys: readonly string[]): readonly Issue[] {
  if (materia?.type !== "utility" || materia.gate !== true) return [];
  const issues: Issue[] = [];
  if (materia.generator === true)
    issues.push(error("bad_value", [...keys, "generator"], "a gate answers yes or no and makes no work items"));
  if (materia.parse === "text")
    issues.push(error("bad_value", [...keys, "parse"], "a gate answers by its exit code", "remove it"));
  return issues;
}

/** Keys of one type of materia. Written on another type, they would be silently ignored. */
const KEYS_BY_KIND = { agent: ["conversation"], utility: ["command", "script", "gate"], person: ["question"] } as const;

function wrongKindIssues(raw: unknown, keys: readonly string[]): readonly Issue[] {
  if (!isJsonObject(raw)) return [];
  return (["agent", "utility", "person"] as const).flatMap((type) => {
    const owner = type === "agent" ? "an agent" : `a ${type}`;
    const hint = type === "agent" ? "remove it" : `add "type": "${type}"`;
    const wrong = KEYS_BY_KIND[type].filter((key) => key in raw && (raw["type"] ?? "agent") !== type);
    return wrong.map((key) => error("bad_value", [...keys, key], `"${key}" belongs to ${owner}`, hint));
  });
}
