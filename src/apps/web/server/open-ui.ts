import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { error, fail, ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { OpenUi } from "../../../shell/commands/ui.ts";
import { packagePath } from "../../../shell/files/package-files.ts";
import { problemText } from "../../../shell/files/problem.ts";
import { webApp } from "./app.ts";
import { HEADERS } from "./http/headers.ts";
import { folderWatch } from "./live/folder-watch.ts";
import { openRuns } from "./live/runs.ts";

/** [N1] Loopback only, and a token that nobody guesses. */
export const openUi: OpenUi = async ({ place, artifacts, port = 0, openReal, report }) => {
  const token = randomBytes(32).toString("base64url");
  const runs = openRuns(report);
  let listening = port;
  const app = webApp({
    place,
    ...(artifacts === undefined ? {} : { artifacts }),
    token,
    port: () => listening,
    assets: packagePath("dist", "web"),
    openReal,
    live: { watch: folderWatch(), runs, everySecond },
    report,
  });
  const answer = getRequestListener(app.fetch, {
    // Pi and its tools share this process; its globals stay as they are.
    overrideGlobalObjects: false,
    errorHandler: badRequest,
  });
  const server = createServer(
    { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000 },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  const listened = await listen(server, port);
  if (!listened.ok) return listened;
  listening = listened.value;
  return ok({
    url: `http://127.0.0.1:${listening}/?token=${token}`,
    close: async () => {
      await runs.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  });
};

/** What no request could be made of, or was cut off while it was read. */
function badRequest(): Response {
  const issues = [error("bad_request", "", "this is not a request that can be understood")];
  return Response.json({ issues }, { status: 400, headers: HEADERS });
}

function listen(server: Server, port: number): Promise<Result<number>> {
  return new Promise((resolve) => {
    server.once("error", (thrown) => {
      const hint = "choose another with --port, or leave it out";
      resolve(fail(error("cannot_listen", "--port", `port ${port} cannot be used: ${problemText(thrown)}`, hint)));
    });
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      resolve(ok(typeof address === "object" && address ? address.port : port));
    });
  });
}

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}
