import type { Catalog } from "../../catalog/catalog.ts";
import { type TargetRef, targetText } from "../../command/command.ts";
import { failWith, collectResults, error, fail, failAll, isError, ok, type Result } from "../../model/issue.ts";
import { didYouMean, oneLine } from "../../model/text.ts";
import type { ResolvedTarget } from "./fragment.ts";

/** Every target found in the catalog, in the given order; or the problems of all of them. */
export function resolveTargets(refs: readonly TargetRef[], catalog: Catalog): Result<readonly ResolvedTarget[]> {
  return collectResults(refs.map((ref) => resolveTarget(ref, catalog)));
}

function resolveTarget(ref: TargetRef, catalog: Catalog): Result<ResolvedTarget> {
  const { kind, name } = ref;
  const materia = kind === "loadout" ? undefined : catalog.materia.get(name);
  const loadout = kind === "materia" ? undefined : catalog.loadouts.get(name);
  if (materia && loadout) {
    const hint = `write materia:${name} or loadout:${name}`;
    return failWith("ambiguous_target", name, `"${name}" is both a materia and a loadout`, hint);
  }
  if (materia) {
    return materia.value === undefined
      ? failAll(materia.issues.filter(isError))
      : ok({ kind: "materia", name, entry: materia });
  }
  if (loadout) return ok({ kind: "loadout", name, entry: loadout });
  return fail(unknownTargetResult(ref, catalog));
}

function unknownTargetResult(ref: TargetRef, catalog: Catalog) {
  const shown = oneLine(targetText(ref), 80);
  const prefix = /^([A-Za-z]+):/.exec(ref.name)?.[1];
  if (ref.kind === "either" && prefix !== undefined) {
    return error("unknown_prefix", shown, `"${prefix}:" is not a kind of target`, "use materia:NAME or loadout:NAME");
  }
  const known =
    ref.kind === "materia"
      ? catalog.materia.keys()
      : ref.kind === "loadout"
        ? catalog.loadouts.keys()
        : [...catalog.materia.keys(), ...catalog.loadouts.keys()];
  const what = ref.kind === "either" ? "materia or loadout" : ref.kind;
  const hint =
    otherKindHint(ref, catalog) ??
    didYouMean(ref.name, known) ??
    `"materia materia" and "materia loadout" list all names`;
  return error("unknown_target", shown, `there is no ${what} named "${oneLine(ref.name, 80)}"`, hint);
}

/** The name is right and the prefix is wrong. */
function otherKindHint({ kind, name }: TargetRef, catalog: Catalog): string | undefined {
  if (kind === "loadout" && catalog.materia.has(name)) return `"${name}" is a materia: link it as materia:${name}`;
  if (kind === "materia" && catalog.loadouts.has(name)) return `"${name}" is a loadout: link it as loadout:${name}`;
  return undefined;
}
