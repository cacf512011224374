import { suggest, typed, error, type Issue } from "../../core/model/issue.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { parseCastId, type CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../store/cast-store.ts";
import { isJsonObject } from "../../core/model/json.ts";
import { toolsInScope } from "../../core/model/materia.ts";
import { createOwnCastRegistry, type OwnCastRegistry } from "../config/own-casts.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { Workspace } from "./workspace.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** [S14] A cast that this user did not start on this machine may have come with the project. It runs only after consent. */
export function foreignCastIssue({ place, fleet }: Workspace, file: CastFile): Issue | undefined {
  // A cast of a fleet runs nothing on this machine.
  if (fleet) return undefined;
  if (createOwnCastRegistry(place.env).owns(file)) return undefined;
  const { castId, graph, cwd, rehearsal } = file;
  const parts = [
    "this cast was started elsewhere",
    `it would run: ${describePrograms(graph).join(", ")}`,
    `its folder was ${cwd}`,
    ...(rehearsal === null ? [] : [`with the replies of ${rehearsal}`]),
  ];
  const hint = suggest`look at it with ${typed`show ${castId}`}; then repeat the command with ${castId} and --trust`;
  return error("foreign_cast", castId, parts.join("; "), hint);
}

/** [S13] Marks casts that were started elsewhere. */
export function foreignCastMarker(workspace: Workspace): (cast: CastSummary) => Promise<CastSummary> {
  const isOwn = ownCastChecker(workspace);
  return async (cast) => ((await isOwn(cast)) ? cast : { ...cast, foreign: true });
}

export function ownCastChecker({ store, place, fleet }: Workspace): (cast: CastSummary) => Promise<boolean> {
  if (fleet) return async () => true;
  const own = createOwnCastRegistry(place.env);
  return async (cast) => {
    const castId = parseCastId(cast.castId);
    return castId !== undefined && ownsListedCast(own, store, castId);
  };
}

export function ownsListedCast(own: OwnCastRegistry, store: CastStore, castId: CastId): Promise<boolean> {
  const read = async (): Promise<CastFile | undefined> => {
    const file = await store.readCastFile(castId);
    return file.ok ? file.value : undefined;
  };
  return own.ownsListed({ castId, stamp: () => store.stamp(castId), read });
}

/** Every program that a cast can start, in the order of its materia. */
function describePrograms({ materia }: Graph): readonly string[] {
  return Object.entries(materia).map(([name, each]) => {
    if (each.type === "agent") return `the agent ${name} (tools: ${toolsInScope(each.tools).join(" ") || "none"})`;
    if (each.type !== "utility") return name;
    const given = isJsonObject(each.params) ? each.params["command"] : undefined;
    const words = each.command ?? [each.script ?? name, ...(given === undefined ? [] : [JSON.stringify(given)])];
    return `\`${words.join(" ")}\``;
  });
}
