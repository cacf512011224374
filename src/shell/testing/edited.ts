import * as v from "valibot";
import { Graph } from "../../core/compile/graph.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import type { CastFile } from "../store/cast-file.ts";

/** [C40] What a person must know who resumes a cast: it goes on with what it was started with, whatever was edited since. */
export function resumedGraphNote({ catalog }: Workspace, { castId, graph, targets }: CastFile): string {
  const note = "it goes on with the graph as it was started";
  if (targets.length === 0) return note;
  const now = compileTargets(
    targets.map(({ kind, name }) => ({ kind, name })),
    catalog,
  );
  if (!now.ok) return `${note}; as it is configured now it could not be started`;
  if (normalizedGraphText(now.value.graph) === normalizedGraphText(graph)) return note;
  return `${note}, which has been edited since: "materia recast ${castId} --edited" goes on with it as it is now, "materia fork ${castId}@<visit>" from any visit`;
}

/** As a cast keeps it, so that only what matters is compared. */
function normalizedGraphText(graph: Graph): string {
  return JSON.stringify(v.parse(Graph, JSON.parse(JSON.stringify(graph))));
}
