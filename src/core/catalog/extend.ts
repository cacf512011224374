import { error, isError, warning, type Issue } from "../model/issue.ts";
import { isJsonObject, type JsonObject } from "../model/values/json.ts";
import { isGenerator, type Materia } from "../model/materia.ts";
import { didYouMean } from "../model/values/nearest.ts";
import { oneLine } from "../model/values/text.ts";
import { withIssueFile, type CatalogEntry, type ConfigLayer } from "./layer.ts";
import { readCompleteMateria } from "./read-materia.ts";

type MateriaEntries = ReadonlyMap<string, CatalogEntry<Materia>>;

/** An entry in force, and the one of the same name that it covers. */
interface OverridingEntry {
  readonly entry: CatalogEntry<Materia>;
  readonly below?: CatalogEntry<Materia>;
}

/** The materia of all layers: a later one replaces an earlier one whole, or extends it where it says so. */
export function mergeMateria(layers: readonly ConfigLayer[]): MateriaEntries {
  const stacked = new Map<string, OverridingEntry>();
  for (const layer of layers) {
    for (const [name, entry] of layer.materia) {
      const below = stacked.get(name)?.entry;
      if (entry === null) stacked.delete(name);
      else stacked.set(name, below ? { entry, below } : { entry });
    }
  }
  return new Map([...stacked].map(([name, each]) => [name, resolveEntry(each, stacked)]));
}

function resolveEntry(each: OverridingEntry, all: ReadonlyMap<string, OverridingEntry>): CatalogEntry<Materia> {
  const { entry, below } = each;
  if (extendedName(entry) !== undefined) return extendMateria(each, all);
  const lost = below ? lostKeyWarnings(entry, below) : [];
  return lost.length === 0 ? entry : { ...entry, issues: [...entry.issues, ...withIssueFile(lost, entry.file)] };
}

function extendedName({ raw }: CatalogEntry<Materia>): string | undefined {
  const base = raw?.["extends"];
  return typeof base === "string" ? base : undefined;
}

/** [F17] What it leaves out it takes from another materia: any by its name, the covered one by its own. */
function extendMateria({ entry, below }: OverridingEntry, all: ReadonlyMap<string, OverridingEntry>): CatalogEntry<Materia> {
  const name = extendedName(entry) ?? "";
  const base = name === entry.name ? below : all.get(name)?.entry;
  const keys = ["materia", entry.name, "extends"];
  const refuse = (issue: Issue): CatalogEntry<Materia> => ({
    ...entry,
    issues: [...entry.issues, ...withIssueFile([issue], entry.file)],
  });
  const shown = oneLine(name, 60);
  if (!base) {
    const own = name === entry.name;
    const message = own
      ? `no layer below has a materia "${shown}" to extend`
      : `there is no materia "${shown}" to extend`;
    return refuse(error("unknown_base", keys, message, own ? undefined : didYouMean(name, all.keys())));
  }
  const further = extendedName(base);
  if (further !== undefined) {
    const message = `"${shown}" extends "${oneLine(further, 60)}" itself; a materia is extended one level deep`;
    return refuse(error("extends_too_deep", keys, message, further === entry.name ? undefined : `extend "${further}"`));
  }
  if (base.value === undefined)
    return refuse(error("broken_materia", keys, `the materia "${shown}", which it extends, has problems of its own`));
  return mergeWithBase(entry, base.value);
}

/** Key by key, `assign` within; checked as if it had been written out. */
function mergeWithBase(entry: CatalogEntry<Materia>, base: Materia): CatalogEntry<Materia> {
  const { raw = {} } = entry;
  const { command: _command, script: _script, ...withoutProgram }: JsonObject = { ...base } as JsonObject; // parsed from JSON
  const ownProgram = "command" in raw || "script" in raw;
  const assign = isJsonObject(raw["assign"]) ? { assign: { ...base.assign, ...raw["assign"] } } : {};
  const whole = { ...(ownProgram ? withoutProgram : (base as unknown as JsonObject)), ...raw, ...assign };
  const { value, issues } = readCompleteMateria(entry.name, whole);
  const told = [...entry.issues, ...withIssueFile(issues, entry.file)];
  return { ...entry, issues: told, ...(value === undefined || told.some(isError) ? {} : { value }) };
}

/** [F18] What is lost in silence makes a cast do nothing: Build without tools builds nothing. */
function lostKeyWarnings({ name, raw = {} }: CatalogEntry<Materia>, { layer, value }: CatalogEntry<Materia>): readonly Issue[] {
  if (!value) return [];
  const had = [
    ...(value.type === "agent" && value.tools !== "none" ? ["tools"] : []),
    ...("parse" in value && value.parse !== undefined ? ["parse"] : []),
    ...(isGenerator(value) ? ["generator"] : []),
  ];
  const lost = had.filter((key) => !(key in raw));
  if (lost.length === 0) return [];
  const message = `it replaces the ${layer} materia whole and leaves out its ${lost.join(", ")}`;
  return [
    warning(
      "override_loses",
      ["materia", name],
      message,
      `add "extends": ${JSON.stringify(name)} to keep what is not said`,
    ),
  ];
}
