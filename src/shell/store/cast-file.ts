import * as v from "valibot";
import type { CastStart } from "../../core/cast/state/state.ts";
import { Graph } from "../../core/compile/graph.ts";
import { ItemCastInput } from "../../core/cast/state/parallel-run.ts";
import { Budget, Limits, WorktreeConfig } from "../../core/model/config.ts";
import { CastId, SocketId } from "../../core/model/ids.ts";
import { Layout } from "../../core/model/loadout.ts";
import { isJsonObject, type JsonObject } from "../../core/model/json.ts";
import { wholeNumber } from "../../core/model/schemas.ts";

/** [J30] The format of the files of a cast. Any other format is refused, since it would be misread. */
export const CAST_FORMAT = 2;

const countSchema = wholeNumber(0);

/** `cast.json`: written once, before the first line of the journal. It holds everything else that a resume needs. */
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
  /** The virtual loadout; it is stored nowhere else. */
  loadout: v.object({ id: v.string(), name: v.string() }),
  graph: Graph,
  /** Positions of the sockets for the drawing; no rule of casting reads them. */
  layout: v.exactOptional(Layout),
  remappings: v.array(v.object({ socket: v.string(), target: countSchema, name: v.string(), source: v.string() })),
  stitches: v.array(v.object({ from: v.string(), to: v.string(), reason: v.string() })),
  fromCastId: v.nullable(CastId),
  limits: v.required(Limits, ["maxNoAdvanceCycles", "maxRepairs"]),
  budget: Budget,
  worktree: v.exactOptional(WorktreeConfig),
  /** Present in the cast of one item of a parallel loop. */
  window: v.exactOptional(ItemCastInput),
  /** Present if the cast has its own working tree and branch: the commit that both started from. */
  ownWorktree: v.exactOptional(v.object({ base: v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/)) })),
  /** The initial state; that of an earlier cast if this one continues it. */
  state: v.custom<JsonObject>(isJsonObject),
  cwd: v.string(),
  /** Whether a checkpoint follows every visit. */
  checkpoints: v.exactOptional(v.boolean()),
  model: v.nullable(v.string()),
  rehearsal: v.nullable(v.string()),
  /** [YP4] Skills, extensions and servers of Pi that agents were given, as they were. */
  equipment: v.exactOptional(
    v.array(
      v.object({
        kind: v.picklist(["skill", "extension", "server"]),
        name: v.string(),
        digest: v.string(),
        ofProject: v.exactOptional(v.literal(true)),
      }),
    ),
  ),
  configFiles: v.array(v.string()),
  versions: v.object({ format: v.literal(CAST_FORMAT), materia: v.string(), node: v.string() }),
  startedAt: v.string(),
  /** [C27] The damaged cast that this one was salvaged from, its number of valid lines, and the files that were not valid. */
  salvaged: v.exactOptional(
    v.object({
      from: CastId,
      events: countSchema,
      lost: v.array(v.object({ socket: SocketId, visit: countSchema, name: v.string() })),
    }),
  ),
});
export type CastFile = v.InferOutput<typeof CastFile>;

/** [S12] The keys with text that a person wrote. */
export const USER_TEXT_FIELDS: ReadonlySet<string> = new Set(["request", "command", "state"]);

export function castStartOf(file: CastFile): CastStart {
  const { castId, request, graph, limits, budget, state, window, rehearsal } = file;
  return {
    castId,
    request,
    graph,
    limits,
    budget,
    data: state,
    rehearsed: rehearsal !== null,
    ...(window === undefined ? {} : { window }),
  };
}

/** Sorts by time when sorted by name, to the millisecond; the random part separates casts of one moment. */
export function newCastId(now: Date, chance: number): CastId {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${base36(now.getUTCMilliseconds(), 2)}${base36(Math.floor(chance * 36 ** 4), 4)}` as CastId; // digits, letters and dashes
}

function base36(value: number, length: number): string {
  return value.toString(36).padStart(length, "0");
}
