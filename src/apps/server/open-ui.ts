import { randomBytes, createHmac, timingSafeEqual } from "node:crypto";
import { watch, readFileSync, lstatSync, statSync } from "node:fs";
import { Hono, type Context } from "hono";
import { ok, type Result, error } from "../../core/model/issue.ts";
import { loadWorkspace } from "../../shell/workspace/workspace.ts";
import { DRAFT_VARIABLE, type OpenUi } from "../../shell/commands/open-ui.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import type { FleetConnection } from "../../shell/fleet/fleet-workspace.ts";
import { deriveUiEndpoint } from "../../shell/config/user-key.ts";
import { packagePath } from "../../shell/system/package.ts";
import {
  startHttpServer,
  requireOwnOrigin,
  rejectMalformedUrls,
  requireToken,
  setSecurityHeaders,
} from "./http-server.ts";
import { createFolderWatcher, everySecond } from "../../shell/system/folder-watcher.ts";
import { openCastRuns, type ServedProject } from "./served-project.ts";
import { notFound, refuse, refuseAccess, withBody } from "./body-and-reply.ts";
import { castRoutes } from "./cast-routes.ts";
import { catalogRoutes, configRoutes } from "./project-routes.ts";
import { changeRoutes, searchRoutes } from "./content-routes.ts";
import { commandRoutes } from "./command-routes.ts";
import {
  loginMessage,
  LoginProof,
  type LoginChallenge,
  type LoginKey,
  type LoginToken,
} from "../../core/wire/commands.ts";
import { extname, join } from "node:path";
import { isInside } from "../../shell/system/folders.ts";

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
    artifacts,
    fleet: fleet.value,
    token,
    loginKey: door?.key ?? null,
    port: () => listening,
    assets: packagePath("dist", "web"),
    openReal,
    live: { watch: createFolderWatcher({ watch, everySecond }), runs, everySecond },
    report,
  });
  let serving = await startHttpServer(app, port ?? door?.port ?? 0);
  // [N33] Reuse the last port so that open pages and bookmarks still work; take any other if it is in use.
  if (!serving.ok && port === undefined && door?.port) serving = await startHttpServer(app, 0);
  if (!serving.ok) {
    await fleet.value?.close();
    return serving;
  }
  const server = serving.value;
  listening = server.port;
  return ok({
    url: `http://127.0.0.1:${listening}/?token=${token}${place.env[DRAFT_VARIABLE] ? "#/loadouts?draft=1" : ""}`,
    close: async () => {
      await server.close(runs.stop);
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

export function createWebApp(served: ServedProject): Hono {
  const app = new Hono();
  app.use(setSecurityHeaders);
  app.use(requireOwnOrigin(served.port));
  app.use(rejectMalformedUrls);
  app.use("/api/*", requireToken(served.token));
  app.use("/api", requireToken(served.token));
  castRoutes(app, served);
  changeRoutes(app, served);
  searchRoutes(app, served);
  catalogRoutes(app, served);
  configRoutes(app, served);
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

/**
 * [N34, N39] A known browser logs in without the token: it proves that it has the key from its first visit.
 * The key is never sent. The proof is bound to this port and this start of the server, so another program on the port
 * cannot use it.
 */
function loginRoutes(app: Hono, { loginKey, token, port }: ServedProject): void {
  const challenge = randomBytes(32).toString("base64url");
  app.get("/api/key", (c) => {
    // A name such as localhost may later resolve to another server, which could then use the key.
    if (loginKey === null || c.req.header("host") !== `127.0.0.1:${port()}`)
      return refuse(c, 404, error("not_found", "", "this address has no key"));
    return c.json({ key: loginKey } satisfies LoginKey);
  });
  app.get("/door", (c) => c.json({ challenge } satisfies LoginChallenge));
  app.post(
    "/door",
    withBody(LoginProof, (c, { proof }) => {
      const isKnown = loginKey !== null && isValidProof(proof, loginKey, loginMessage(port(), challenge));
      return isKnown ? c.json({ token } satisfies LoginToken) : refuseAccess(c, "proof", "unknown browser");
    }),
  );
}

function isValidProof(given: string, key: string, text: string): boolean {
  const expected = createHmac("sha256", Buffer.from(key, "base64url")).update(text).digest();
  const proof = Buffer.from(given, "base64url");
  return proof.length === expected.length && timingSafeEqual(proof, expected);
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>materia</title>
<h1>The page is not built yet</h1>
<p>Run <code>npm run build:webui</code> in the checkout, then load this page again.</p>
</html>
`;

/** [N24] The built page. It contains no project data and needs no token. Addresses without a file are views of the page. */
function assetRoutes(app: Hono, folder: string): void {
  app.get("*", (c) => {
    const file = assetFile(folder, c.req.path);
    if (file !== undefined) return sendFile(c, file);
    if (c.req.path.includes(".")) return notFound(c);
    const page = assetFile(folder, "/index.html");
    return page === undefined ? c.html(NOT_BUILT_PAGE, 503) : sendFile(c, page);
  });
}

function assetFile(folder: string, path: string): string | undefined {
  if (!/^(?:\/[\w@-][\w@.-]*)+$/.test(path)) return undefined;
  const file = join(folder, path);
  try {
    return CONTENT_TYPES[extname(file)] !== undefined && statSync(file).isFile() && isInside(folder, file)
      ? file
      : undefined;
  } catch {
    return undefined;
  }
}

function sendFile(c: Context, file: string): Response {
  // A name with a hash never changes its content; the page itself changes with every version.
  const cache = /-[\w-]{8,}\.\w+$/.test(file) ? "public, max-age=31536000, immutable" : "no-cache";
  const headers = { "content-type": CONTENT_TYPES[extname(file)] ?? "", "cache-control": cache };
  const packed = `${file}.gz`;
  // The build writes no links; a planted one must not lead out of the folder.
  const isPacked = lstatSync(packed, { throwIfNoEntry: false })?.isFile() === true;
  const sendsPacked = isPacked && /\bgzip\b(?!;q=0(?!\.[0-9]*[1-9]))/.test(c.req.header("accept-encoding") ?? "");
  return c.body(new Uint8Array(readFileSync(sendsPacked ? packed : file)), 200, {
    ...headers,
    ...(isPacked ? { vary: "Accept-Encoding" } : {}),
    ...(sendsPacked ? { "content-encoding": "gzip" } : {}),
  });
}
