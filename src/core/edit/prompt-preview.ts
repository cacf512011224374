import { withReworkReason } from "../cast/state/rework-reasons.ts";
import { NEW_VISIT, type CastState, type Visit } from "../cast/state/state.ts";
import { type Graph, type GraphSocket, loopOf } from "../compile/graph.ts";
import { parseCastId, type CastId } from "../model/ids.ts";
import type { WorkItem } from "../model/handoff.ts";
import { templateOf, type Materia, type TemplateVariable, parseVariables } from "../model/materia.ts";
import { writeAgentPrompt, type AgentPrompt } from "../prompt/agent-prompt.ts";
import { initialState } from "../cast/state/initial-state.ts";

export interface PreviewData {
  readonly request: string;
  readonly items: readonly WorkItem[];
  readonly reworked: boolean;
}

const EXAMPLE_CHANGES = " src/example.ts | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)";

/** [E19] The prompt of a socket, by the function that the engine uses. */
export function previewTurn(graph: Graph, socket: GraphSocket, data: PreviewData): AgentPrompt {
  const { reworked } = data;
  const visit: Visit = { socket: socket.id, number: reworked ? 2 : 1, from: null, reworked, ...NEW_VISIT };
  const state = previewState(graph, socket, data);
  return writeAgentPrompt(state, { socket, visit, ask: { kind: "begin" }, changes: EXAMPLE_CHANGES });
}

function previewState(graph: Graph, socket: GraphSocket, { request, items, reworked }: PreviewData): CastState {
  const start = initialState({
    castId: parseCastId("preview") ?? ("preview" as CastId), // of that form
    request,
    graph,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    data: {
      workItems: items.map(({ title, context }) => ({ title, context })),
      vcs: { kind: "git", root: "/project" },
    },
  });
  const loop = loopOf(graph, socket);
  const [before] = Object.values(graph.sockets).filter(({ edges }) => edges.some((edge) => edge.to === socket.id));
  const item = before && loopOf(graph, before)?.items ? (items[0]?.title ?? null) : null;
  const reason = `${before?.materia ?? "The socket before"} was not satisfied: one thing is missing.`;
  const pass = { items, note: null, cursor: 0, end: items.length, oneByOne: false, givenUp: [], since: 0 };
  const state: CastState = {
    ...start,
    pass: loop?.items ? { ...pass, loop: loop.id, door: socket.id } : null,
    handed: before
      ? {
          socket: before.id,
          materia: before.materia,
          item,
          text: reworked ? reason : `What ${before.materia} hands on.`,
          reason,
          workItems: before.generator ? items : null,
        }
      : null,
  };
  if (!reworked) return state;
  const by = before ?? socket;
  return {
    ...state,
    rework: withReworkReason(state, socket.id, { socket: by.id, materia: by.materia, item, text: reason }),
  };
}

export function promptVariables(materia: Materia) {
  const found = parseVariables(templateOf(materia)?.text ?? "");
  const byName = new Map(found.map((variable) => [variableName(variable), variable]));
  return [...byName].map(([name, variable]) => ({ name, variable }));
}

function variableName(variable: TemplateVariable): string {
  switch (variable.kind) {
    case "request":
    case "workItems":
    case "changes":
    case "versionControl":
      return variable.kind;
    case "item":
      return `item.${variable.field}`;
    case "state":
      return `state.${variable.path.join(".")}`;
    case "unknown":
      return variable.name;
  }
}
