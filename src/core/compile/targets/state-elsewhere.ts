import type { Catalog } from "../../catalog/catalog.ts";
import { templateOf } from "../../model/materia.ts";
import { parseVariables } from "../../model/values/template.ts";
import type { StateUse } from "../check/state-use.ts";

const known = new WeakMap<Catalog, StateUse>();

/** [G21] State that other parts of the configuration set or read: a loadout may be meant to be linked with them. */
export function stateUsedInCatalog(catalog: Catalog): StateUse {
  const found = known.get(catalog) ?? collectStateUse(catalog);
  known.set(catalog, found);
  return found;
}

function collectStateUse({ materia, loadouts }: Catalog): StateUse {
  const sets = new Set<string>();
  const reads = new Set<string>();
  const note = (assign: Readonly<Record<string, string>> | undefined): void => {
    if (assign === undefined) return;
    for (const [target, source] of Object.entries(assign)) {
      sets.add(firstKey(target));
      if (source.startsWith("state.")) reads.add(firstKey(source.slice("state.".length)));
    }
  };
  for (const { value } of materia.values()) {
    if (!value) continue;
    note(value.assign);
    for (const variable of parseVariables(templateOf(value)?.text ?? ""))
      if (variable.kind === "state") reads.add(variable.path[0] ?? "");
  }
  for (const { value } of loadouts.values())
    for (const socket of Object.values(value?.sockets ?? {})) note(socket.assign);
  return { sets, reads };
}

function firstKey(path: string): string {
  return path.split(".", 1).join("");
}
