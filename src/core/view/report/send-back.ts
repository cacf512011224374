import type { ForkCommand } from "../../command/command.ts";
import { materiaOf, socketOf, type Graph } from "../../compile/graph.ts";
import { visitKey, type VisitRecord } from "../../history/visits.ts";
import { END } from "../../model/ids.ts";
import { materiaMayWrite } from "../../model/materia.ts";

/** An ended cast, as a review sees it. */
export interface ReviewedCast {
  readonly castId: string;
  readonly request: string;
  readonly graph: Graph;
  readonly visits: readonly VisitRecord[];
}

/** Who goes on after a review, and the fork that does it. */
export interface SentBackCast {
  readonly builder: string;
  readonly command: ForkCommand;
}

/** [YW2] The last judge refuses with these words; without one its last writer starts again with them in the request. */
export function sendBack({ castId, request, graph, visits }: ReviewedCast, words: string): SentBackCast | null {
  const materiaFor = ({ socket }: VisitRecord) => materiaOf(graph, socketOf(graph, socket));
  const agents = visits.filter((visit) => visit.isCompleted && materiaFor(visit).type === "agent");
  for (const judge of agents.toReversed()) {
    const to = socketOf(graph, judge.socket).edges.find(({ when }) => when === "not_satisfied")?.to;
    const builder = to === undefined || to === END ? undefined : visits.find(({ socket }) => socket === to);
    if (!builder || judge.result?.kind !== "handoff") continue;
    const handoff = JSON.stringify({ ...judge.result.handoff, satisfied: false, context: words });
    const visit = visitKey(judge.socket, judge.visit);
    return { builder: builder.materia, command: { kind: "fork", castId, visit, handoff } };
  }
  const writer = agents.findLast((visit) => materiaMayWrite(materiaFor(visit))) ?? agents[0];
  if (!writer) return null;
  const visit = visitKey(writer.socket, writer.visit);
  const reviewed = `${request}\n\nA person reviewed the result and sent it back:\n${words}`;
  return { builder: writer.materia, command: { kind: "fork", castId, visit, request: reviewed } };
}
