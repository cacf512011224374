import { createServer } from "node:http";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { errorText } from "../../system/files.ts";
import type { UsageRow } from "./usage-counts.ts";
import type { WorkerMetrics } from "./worker.ts";

export interface HealthServer {
  readonly port: number;
  readonly close: () => void;
}

/** [B67] For monitoring on this machine alone: `/health`, and `/metrics` in Prometheus text format. */
export function serveHealth(port: number, metrics: () => WorkerMetrics): Promise<Result<HealthServer>> {
  const server = createServer((request, response) => {
    const now = metrics();
    if (request.url === "/health")
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(now));
    else if (request.url === "/metrics")
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(metricsText(now));
    else response.writeHead(404).end();
  });
  return new Promise((resolve) => {
    const hint = "every worker needs its own port; --port 0 takes a free one";
    server.on("error", (thrown) => resolve(failWith("listen_failed", "--port", errorText(thrown), hint)));
    server.listen(port, "127.0.0.1", () => {
      server.unref();
      const address = server.address();
      resolve(ok({ port: typeof address === "object" && address ? address.port : port, close: () => server.close() }));
    });
  });
}

function metricsText({ running, legs, usage }: WorkerMetrics): string {
  const counter = (name: string, help: string, of: keyof Pick<UsageRow, "turns" | "tokens" | "cost">) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    ...usage.map(({ project, loadout, model, ...row }) => `${name}${labels({ project, loadout, model })} ${row[of]}`),
  ];
  return [
    "# HELP materia_casts_running Casts that this worker runs now.",
    "# TYPE materia_casts_running gauge",
    `materia_casts_running ${running.length}`,
    "# HELP materia_dispatches_total Dispatches that this worker has run, by outcome.",
    "# TYPE materia_dispatches_total counter",
    ...Object.entries(legs).map(
      ([how, count]) => `materia_dispatches_total${labels({ end: how.replaceAll(" ", "_") })} ${count}`,
    ),
    ...counter("materia_turns_total", "Turns of agents and programs.", "turns"),
    ...counter("materia_tokens_total", "Tokens that providers counted.", "tokens"),
    ...counter("materia_cost_usd_total", "Dollars that turns have cost.", "cost"),
    "",
  ].join("\n");
}

/** A name must not begin another label or line. */
function labels(values: Readonly<Record<string, string>>): string {
  const escape = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(",")}}`;
}
