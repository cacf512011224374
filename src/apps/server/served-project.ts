import type { Context } from "hono";
import { ok, type Result } from "../../core/model/issue.ts";
import type { OpenAgentHost } from "../../shell/workspace/agent-hosts.ts";
import { loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import type { FleetConnection } from "../../shell/fleet/fleet-workspace.ts";
import type { LiveSources } from "./cast-runs.ts";
import { refuseByCode } from "./body-and-reply.ts";

/** The project that is served, and to whom. */
export interface ServedProject {
  readonly place: ConfigContext;
  /** Where casts are kept, where that was said on the command line. */
  readonly artifacts?: string;
  /** [B26] Set where the casts are those of a fleet. */
  readonly fleet?: FleetConnection;
  readonly token: string;
  /** What a browser of this user proves to have; null where none can be kept. */
  readonly loginKey: string | null;
  /** Known once the server listens. */
  readonly port: () => number;
  /** The built client. */
  readonly assets: string;
  readonly openReal: OpenAgentHost;
  readonly live: LiveSources;
  /** Faults of ours, for whoever started the server. */
  readonly report: (problem: string) => void;
}

/** Read anew for every request: files may have changed since the last one. */
function openServedWorkspace({ place, artifacts, live, fleet }: ServedProject): Result<Workspace> {
  const workspace = loadWorkspace(place, artifacts, live.watch);
  return workspace.ok && fleet ? ok(fleet.workspaceFor(workspace.value)) : workspace;
}

/** A route that needs the project. */
export function withWorkspace(
  served: ServedProject,
  route: (c: Context, workspace: Workspace) => Response | Promise<Response>,
): (c: Context) => Response | Promise<Response> {
  return (c) => {
    const workspace = openServedWorkspace(served);
    return workspace.ok ? route(c, workspace.value) : refuseByCode(c, workspace.issues);
  };
}
