import { randomBytes } from "node:crypto";
import { watch } from "node:fs";
import { Hono } from "hono";
import { ok, type Result, error } from "../../core/model/issue.ts";
import { loadWorkspace } from "../../shell/workspace/workspace.ts";
import type { OpenUi } from "../../shell/commands/open-ui.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import type { FleetConnection } from "../../shell/fleet/fleet-workspace.ts";
import { deriveUiEndpoint } from "../../shell/config/user-key.ts";
import { packagePath } from "../../shell/system/package.ts";
import { startHttpServer, type HttpServer } from "./http-server.ts";
import { createFolderWatcher } from "../../shell/system/folder-watcher.ts";
import { openCastRuns } from "./cast-runs.ts";
import { requireOwnOrigin, rejectMalformedUrls, requireToken, setSecurityHeaders } from "./request-guard.ts";
import { notFound, refuse } from "./body-and-reply.ts";
import { assetRoutes } from "./asset-routes.ts";
import { castFileRoutes, castRoutes } from "./cast-routes.ts";
import { catalogRoutes, configRoutes, testRoutes } from "./project-routes.ts";
import { changeRoutes } from "./change-routes.ts";
import { commandRoutes } from "./command-routes.ts";
import { loginRoutes } from "./login-routes.ts";
import { searchRoutes } from "./search-routes.ts";
import type { ServedProject } from "./served-project.ts";

/** [N1] The page of a project, protected by a random token. */
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

/** [B26] One database connection while the page is served. Without a fleet no fleet module is loaded. */
async function connectToFleet(place: ConfigContext, on: string): Promise<Result<FleetConnection>> {
  const workspace = loadWorkspace(place);
  if (!workspace.ok) return workspace;
  const { connectFleet } = await import("../../shell/fleet/fleet-workspace.ts");
  return connectFleet(workspace.value, on, "all");
}

/** [N33] Reuse the last port so that open pages and bookmarks still work; take any other if it is in use. */
async function serveAtLastPort(app: Hono, port = 0): Promise<Result<HttpServer>> {
  const serving = await startHttpServer(app, port);
  return serving.ok || port === 0 ? serving : startHttpServer(app, 0);
}

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}

/** All routes, in the order in which they are tried. */
export function createWebApp(served: ServedProject): Hono {
  const app = new Hono();
  app.use(setSecurityHeaders);
  app.use(requireOwnOrigin(served.port));
  app.use(rejectMalformedUrls);
  app.use("/api/*", requireToken(served.token));
  app.use("/api", requireToken(served.token));
  castRoutes(app, served);
  castFileRoutes(app, served);
  changeRoutes(app, served);
  searchRoutes(app, served);
  catalogRoutes(app, served);
  configRoutes(app, served);
  testRoutes(app, served);
  commandRoutes(app, served);
  loginRoutes(app, served);
  app.all("/api/*", notFound);
  app.all("/api", notFound);
  assetRoutes(app, served.assets);
  app.notFound(notFound);
  app.onError((thrown, c) => {
    served.report(thrown.stack ?? thrown.message);
    return refuse(c, 500, error("server_error", "", "internal error; the terminal of the server has the details"));
  });
  return app;
}
