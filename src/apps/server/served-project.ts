import type { Context } from "hono";
import { ok, type Result } from "../../core/model/issue.ts";
import type { OpenAgentHost } from "../../shell/workspace/agent-hosts.ts";
import { loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import type { FleetConnection } from "../../shell/fleet/fleet-workspace.ts";
import type { LiveSources } from "./cast-runs.ts";
import { refuseByCode } from "./body-and-reply.ts";

/** The served project and its access. */
export interface ServedProject {
  readonly place: ConfigContext;
  /** The folder of casts from the command line. */
  readonly artifacts?: string;
  /** [B26] Set when the page shows the casts of a fleet. */
  readonly fleet?: FleetConnection;
  readonly token: string;
  /** The key that a browser of this user must prove to have; null if none can be stored. */
  readonly loginKey: string | null;
  /** Set after the server listens. */
  readonly port: () => number;
  /** The folder of the built page. */
  readonly assets: string;
  readonly openReal: OpenAgentHost;
  readonly live: LiveSources;
  /** Reports our own faults to the person who started the server. */
  readonly report: (problem: string) => void;
}

/** Read again for every request: files may have changed. */
function openServedWorkspace({ place, artifacts, live, fleet }: ServedProject): Result<Workspace> {
  const workspace = loadWorkspace(place, artifacts, live.watch);
  return workspace.ok && fleet ? ok(fleet.workspaceFor(workspace.value)) : workspace;
}

/** A route that needs the workspace. */
export function withWorkspace(
  served: ServedProject,
  route: (c: Context, workspace: Workspace) => Response | Promise<Response>,
): (c: Context) => Response | Promise<Response> {
  return (c) => {
    const workspace = openServedWorkspace(served);
    return workspace.ok ? route(c, workspace.value) : refuseByCode(c, workspace.issues);
  };
}
