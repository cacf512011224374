import { materiaOf, socketsOf } from "../../../core/compile/graph.ts";
import type { CastFile } from "../../store/cast-file.ts";

/** Where a materia leaves the model to the worker. */
const WORKER_DEFAULT = "default";

/** [B22] The providers that the agents of a cast ask; none where a file answers for them. */
export function providersOf({
  graph,
  model,
  rehearsal,
}: Pick<CastFile, "graph" | "model" | "rehearsal">): readonly string[] {
  if (rehearsal !== null) return [];
  const models = socketsOf(graph).flatMap((socket) => {
    const materia = materiaOf(graph, socket);
    return materia.type === "agent" ? [model ?? materia.model] : [];
  });
  return [...new Set(models.map((each) => each?.split("/")[0] ?? WORKER_DEFAULT))].toSorted();
}
