import type { Catalog } from "../../catalog/catalog.ts";
import type { CatalogEntry } from "../../catalog/layer.ts";
import { error, isError, type Issue } from "../../model/issue.ts";
import type { Loadout } from "../../model/loadout.ts";
import { didYouMean } from "../../model/text.ts";
import type { Graph } from "../graph.ts";
import { worstCase, type WorstCase } from "../worst-case.ts";
import { checkTarget } from "./compile.ts";

/** A loadout without errors, and its worst case. */
export interface ValidLoadout {
  readonly entry: CatalogEntry<Loadout>;
  readonly graph: Graph;
  readonly worst: WorstCase;
}

/** Every problem of a configuration. Warnings of bundled entries are omitted: the user cannot fix them. */
export function checkCatalog(catalog: Catalog): {
  readonly issues: readonly Issue[];
  readonly loadouts: readonly ValidLoadout[];
} {
  const issues: Issue[] = [...catalog.issues];
  const loadouts: ValidLoadout[] = [];
  for (const entry of catalog.materia.values()) issues.push(...entry.issues);
  for (const entry of catalog.loadouts.values()) {
    const { graph, flow, issues: found } = checkTarget({ kind: "loadout", name: entry.name, entry }, catalog, 1);
    issues.push(...found.filter((issue) => isError(issue) || entry.layer !== "bundled"));
    if (flow && !found.some(isError))
      loadouts.push({ entry, graph, worst: worstCase(graph, flow, catalog.settings.limits) });
  }
  return { issues: [...issues, ...activeLoadoutIssues(catalog)], loadouts };
}

function activeLoadoutIssues({ settings: { activeLoadout }, loadouts }: Catalog): readonly Issue[] {
  const { value, file } = activeLoadout;
  if (loadouts.has(value)) return [];
  const hint = didYouMean(value, loadouts.keys());
  const issue = error("unknown_loadout", "activeLoadout", `there is no loadout "${value}"`, hint);
  return [file === undefined ? issue : { ...issue, file }];
}
