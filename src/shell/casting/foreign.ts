import type { Graph } from "../../core/compile/graph.ts";
import { error } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { isJsonObject } from "../../core/model/json.ts";
import { toolsOf } from "../../core/model/tools.ts";
import type { CastSummary } from "../../core/view/casts.ts";
import { isOwnCast } from "../config/own-casts.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore } from "../store/cast-store.ts";
import type { Workspace } from "./workspace.ts";

/** [S10] A cast that this user has not begun on this machine may have come with the project: it runs only when it is agreed to. */
export function foreignIssue({ place }: Workspace, file: CastFile): Issue | undefined {
  if (isOwnCast(place.env, file)) return undefined;
  const { castId, graph, cwd, rehearsal } = file;
  const parts = [
    "this cast was not begun by you on this machine",
    `it would run: ${runsOf(graph).join(", ")}`,
    `in ${cwd}`,
    ...(rehearsal === null ? [] : [`with the replies of ${rehearsal}`]),
  ];
  const hint = `look at it with "show ${castId}"; name it and add --trust to trust exactly this cast`;
  return error("foreign_cast", castId, parts.join("; "), hint);
}

/** [S10] A listing says which casts came from elsewhere. */
export async function markForeign({ store, place }: Workspace, cast: CastSummary): Promise<CastSummary> {
  const file = await describe(store, cast);
  return file.ok && isOwnCast(place.env, file.value) ? cast : { ...cast, foreign: true };
}

/** What a cast that was listed was started with. */
export async function describe(store: CastStore, { castId }: CastSummary): Promise<Result<CastFile>> {
  const found = await store.find(castId);
  return found.ok ? store.describe(found.value) : found;
}

/** All that a cast can start, in the order of its materia. */
function runsOf({ materia }: Graph): readonly string[] {
  return Object.entries(materia).map(([name, each]) => {
    if (each.type === "agent") return `the agent ${name} (tools: ${toolsOf(each.tools).join(" ") || "none"})`;
    if (each.type !== "utility") return name;
    const given = isJsonObject(each.params) ? each.params["command"] : undefined;
    const words = each.command ?? [each.script ?? name, ...(given === undefined ? [] : [JSON.stringify(given)])];
    return `\`${words.join(" ")}\``;
  });
}
