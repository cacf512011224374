import { createServer } from "node:http";
import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { errorText } from "../../system/files.ts";
import type { WorkerMetrics } from "./worker.ts";

export interface HealthServer {
  readonly port: number;
  readonly close: () => void;
}

/** [B67] For monitoring on this machine alone: `/health`, and `/metrics` in Prometheus text format. */
export function serveHealth(port: number, metrics: () => WorkerMetrics): Promise<Result<HealthServer>> {
  const server = createServer((request, response) => {
    const now = metrics();
    if (request.url === "/health") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(now));
      return;
    }
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(metricsText(now));
  });
  return new Promise((resolve) => {
    server.on("error", (thrown) => resolve(fail(listenIssue(thrown))));
    server.listen(port, "127.0.0.1", () => {
      server.unref();
      const address = server.address();
      resolve(ok({ port: typeof address === "object" && address ? address.port : port, close: () => server.close() }));
    });
  });
}

function listenIssue(thrown: Error): Issue {
  const hint = "every worker needs its own port; --port 0 takes a free one";
  return error("listen_failed", "--port", errorText(thrown), hint);
}

function metricsText({ running, legs }: WorkerMetrics): string {
  return [
    "# HELP materia_casts_running Casts that this worker runs now.",
    "# TYPE materia_casts_running gauge",
    `materia_casts_running ${running.length}`,
    "# HELP materia_legs_total Dispatches that this worker has run, by outcome.",
    "# TYPE materia_legs_total counter",
    ...Object.entries(legs).map(([how, count]) => `materia_legs_total{end="${how.replaceAll(" ", "_")}"} ${count}`),
    "",
  ].join("\n");
}
