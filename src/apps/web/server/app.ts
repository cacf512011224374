import { Hono } from "hono";
import { error } from "../../../core/model/issue.ts";
import { requireOwnOrigin, rejectMalformedUrls, requireToken } from "./http/guard.ts";
import { setSecurityHeaders } from "./http/headers.ts";
import { notFound, refuse } from "./http/reply.ts";
import { assetRoutes } from "./routes/assets.ts";
import { castFileRoutes } from "./routes/cast-files.ts";
import { castRoutes } from "./routes/casts.ts";
import { catalogRoutes } from "./routes/project/catalog.ts";
import { changeRoutes } from "./routes/changes.ts";
import { commandRoutes } from "./routes/commands.ts";
import { configRoutes } from "./routes/project/config.ts";
import { testRoutes } from "./routes/project/tests.ts";
import { loginRoutes } from "./routes/door.ts";
import { searchRoutes } from "./routes/search.ts";
import type { ServedProject } from "./routes/served-project.ts";

/** Everything that the server answers, in the order in which it is decided. */
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
    return refuse(c, 500, error("fault", "", "the server has a fault; what it is stands in its terminal"));
  });
  return app;
}
