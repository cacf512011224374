import { createServer } from "node:http";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import type { CastStep } from "../../../core/cast/timeline.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { totalTokens } from "../../../core/cast/state/usage.ts";
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

/** What casts of a project and loadout have used with a model, since the worker started. */
export interface UsageRow {
  readonly project: string;
  readonly loadout: string;
  readonly model: string;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
}

export type UsageMetrics = ReturnType<typeof createUsageMetrics>;

/** Names come from members: they must not fill the memory of the worker. */
const MAX_ROWS = 1_000;

/** [TM7] Counts turns as they are written. */
export function createUsageMetrics() {
  const rows = new Map<string, UsageRow>();
  return {
    rows: (): readonly UsageRow[] => [...rows.values()],
    counterOf: ({ fleet, loadout = "" }: Partial<Pick<CastSummary, "fleet" | "loadout">>) => {
      const { project = "" } = fleet ?? {};
      return (steps: readonly CastStep[]): void => {
        for (const { event } of steps) {
          if (!("usage" in event) || event.usage === undefined || !TURN_ENDS.has(event.type)) continue;
          const model = ("model" in event ? event.model : undefined) ?? "unknown";
          const key = JSON.stringify([project, loadout, model]);
          const before = rows.get(key) ?? { project, loadout, model, turns: 0, tokens: 0, cost: 0 };
          if (rows.size >= MAX_ROWS && !rows.has(key)) continue;
          const tokens = before.tokens + totalTokens(event.usage);
          rows.set(key, { ...before, turns: before.turns + 1, tokens, cost: before.cost + event.usage.cost });
        }
      };
    },
  };
}

const TURN_ENDS: ReadonlySet<string> = new Set([
  "handoff_accepted",
  "output_accepted",
  "handoff_rejected",
  "turn_answered",
  "turn_failed",
]);
