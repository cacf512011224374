import * as v from "valibot";
import type { CastStart } from "../../core/cast/state.ts";
import type { Graph, GraphSocket, Origin } from "../../core/compile/graph.ts";
import { Budget } from "../../core/model/config.ts";
import { CastId } from "../../core/model/ids.ts";
import type { JsonObject } from "../../core/model/json.ts";

/** The shape of the files of a cast; a journal of another format is refused rather than misread. */
export const FORMAT = 1;

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Until 0.1 a socket's origin named its place in the file as text (`materia.Build`) instead of the kind of its target. */
function withOriginKinds(graph: Graph): Graph {
  const sockets = Object.entries(graph.sockets).map(([id, socket]): [string, GraphSocket] => {
    const { path = "", ...origin }: Origin & { readonly path?: string } = socket.origin;
    const kind = origin.kind ?? (path.startsWith("materia") ? "materia" : "loadout");
    return [id, { ...socket, origin: { ...origin, kind } }];
  });
  return { ...graph, sockets: Object.fromEntries(sockets) };
}

/** `cast.json`: written once, before the journal's first line; all that a resume needs besides the journal. */
export const CastFile = v.object({
  castId: CastId,
  request: v.string(),
  /** The command as it can be typed again. */
  command: v.string(),
  targets: v.array(
    v.object({
      kind: v.picklist(["materia", "loadout"]),
      name: v.string(),
      layer: v.string(),
      file: v.nullable(v.string()),
    }),
  ),
  /** The virtual loadout; it is saved nowhere else. */
  loadout: v.object({ id: v.string(), name: v.string() }),
  graph: v.pipe(
    v.custom<Graph>((value) => isObject(value)),
    v.transform(withOriginKinds),
  ),
  remappings: v.array(v.object({ socket: v.string(), target: count, name: v.string(), source: v.string() })),
  stitches: v.array(v.object({ from: v.string(), to: v.string(), reason: v.string() })),
  fromCastId: v.nullable(CastId),
  limits: v.object({
    maxNoAdvanceCycles: count,
    maxRepairs: count,
    agentSilenceMs: v.optional(count),
    maxRetries: v.optional(count),
    retryBaseMs: v.optional(count),
  }),
  budget: Budget,
  /** The state a cast begins with: what an earlier cast left, where it continues one. */
  state: v.custom<JsonObject>((value) => isObject(value)),
  cwd: v.string(),
  model: v.nullable(v.string()),
  rehearsal: v.nullable(v.string()),
  configFiles: v.array(v.string()),
  versions: v.object({ format: v.literal(FORMAT), materia: v.string(), node: v.string() }),
  startedAt: v.string(),
});
export type CastFile = v.InferOutput<typeof CastFile>;

export function startOf(file: CastFile): CastStart {
  const { castId, request, graph, limits, budget, state } = file;
  return { castId, request, graph, limits, budget, data: state };
}
