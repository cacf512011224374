import { randomBytes } from "node:crypto";
import { watch } from "node:fs";
import type { Hono } from "hono";
import { ok, type Result } from "../../../core/model/issue.ts";
import { loadWorkspace } from "../../../shell/casting/workspace/workspace.ts";
import type { OpenUi } from "../../../shell/commands/ui.ts";
import type { ConfigContext } from "../../../shell/config/config.ts";
import type { FleetConnection } from "../../../shell/fleet/on-fleet.ts";
import { deriveUiEndpoint } from "../../../shell/config/own/ui-door.ts";
import { packagePath } from "../../../shell/system/package-files.ts";
import { createWebApp } from "./app.ts";
import { startHttpServer, type HttpServer } from "./http/serve.ts";
import { createFolderWatcher } from "../../../shell/system/folder-watch.ts";
import { openCastRuns } from "./live/runs.ts";

/** [N1] The web UI of a project, behind a token that nobody guesses. */
export const openUi: OpenUi = async ({ place, artifacts, on, port, openReal, report }) => {
  const token = randomBytes(32).toString("base64url");
  const runs = openCastRuns(report);
  const door = deriveUiEndpoint(place, on);
  const fleet = on === undefined ? ok(undefined) : await connectToFleet(place, on);
  if (!fleet.ok) return fleet;
  let listening = 0;
  const app = createWebApp({
    place,
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(fleet.value ? { fleet: fleet.value } : {}),
    token,
    loginKey: door?.key ?? null,
    port: () => listening,
    assets: packagePath("dist", "web"),
    openReal,
    live: { watch: createFolderWatcher({ watch, everySecond }), runs, everySecond },
    report,
  });
  const serving = port === undefined ? await serveAtLastPort(app, door?.port) : await startHttpServer(app, port);
  if (!serving.ok) {
    await fleet.value?.close();
    return serving;
  }
  listening = serving.value.port;
  return ok({
    url: `http://127.0.0.1:${listening}/?token=${token}`,
    close: async () => {
      await serving.value.close(runs.stop);
      await fleet.value?.close();
    },
  });
};

/** [B26] One connection for as long as the page is served; whoever names no fleet loads nothing of it. */
async function connectToFleet(place: ConfigContext, on: string): Promise<Result<FleetConnection>> {
  const workspace = loadWorkspace(place);
  if (!workspace.ok) return workspace;
  const { connectFleet } = await import("../../../shell/fleet/on-fleet.ts");
  return connectFleet(workspace.value, on, "all");
}

/** [N33] At the port of the last time, so that an open page and a kept link lead here; at any other where that is taken. */
async function serveAtLastPort(app: Hono, port = 0): Promise<Result<HttpServer>> {
  const serving = await startHttpServer(app, port);
  return serving.ok || port === 0 ? serving : startHttpServer(app, 0);
}

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}
