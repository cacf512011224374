import type { CastEvent } from "../cast/state/event.ts";
import { materiaOf, socketOf, type Graph } from "../compile/graph.ts";
import { failWith, error, fail, ok, type Result } from "../model/issue.ts";
import { foldVisits, visitKey, visitNumber, type VisitRecord } from "./visits.ts";

/** The visits of agents: only an agent leaves a conversation. */
export function agentVisits({
  events,
  file: { graph },
}: {
  readonly events: readonly CastEvent[];
  readonly file: { readonly graph: Graph };
}): readonly VisitRecord[] {
  return foldVisits(events).filter(({ socket }) => materiaOf(graph, socketOf(graph, socket)).type === "agent");
}

/** `Socket-4#2`, `Socket-4` for its last visit, or the number of its card; without a name the last visit. */
export function findVisit(visits: readonly VisitRecord[], name: string | undefined): Result<VisitRecord> {
  const [socket, number] = (name ?? "").split("#");
  const found = visits.findLast(
    (each) =>
      name === undefined ||
      name === String(visitNumber(each)) ||
      (each.socket === socket && (number === undefined || number === String(each.visit))),
  );
  if (found) return ok(found);
  if (name === undefined) return failWith("unknown_visit", "visit", "this cast has no visit of an agent yet");
  const keys = visits.slice(-MAX_SUGGESTIONS).map((each) => visitKey(each.socket, each.visit));
  const hint = keys.length === 0 ? {} : { hint: `one of ${keys.join(", ")}` };
  return fail({ ...error("unknown_visit", name, `this cast has no visit "${name}"`), ...hint });
}

const MAX_SUGGESTIONS = 12;
