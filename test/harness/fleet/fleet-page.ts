import { openUi } from "../../../src/apps/server/open-ui.ts";
import { findProject } from "../../../src/shell/config/config.ts";
import { join } from "node:path";
import { hear, type Heard } from "../../webserver/harness.ts";
import { envOf } from "../cli.ts";
import type { FleetPlace } from "./fleet-place.ts";
import { closing } from "./postgres.ts";

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface FleetPage {
  readonly url: string;
  readonly ask: (path: string, init?: Ask) => Promise<Response>;
  /** A command as the page sends it. */
  readonly send: (command: string) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly listen: (path: string) => Promise<Heard>;
}

/** The page of a project over the casts of its fleet. */
export async function fleetPage({ cwd, url }: Pick<FleetPlace, "cwd" | "url">): Promise<FleetPage> {
  const env = { ...envOf(cwd), FLEET_URL: url };
  const opened = await openUi({
    place: findProject({ cwd, env, explicitFile: join(cwd, "conf.json"), program: "materia" }),
    on: "f",
    openReal: () => Promise.reject(new Error("casts of a fleet are driven elsewhere")),
    report: (problem) => console.error(problem),
  });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const served = closing(opened.value);
  const address = new URL(served.url);
  const authorization = `Bearer ${address.searchParams.get("token")}`;
  const ask: FleetPage["ask"] = (path, init = {}) =>
    fetch(`${address.origin}${path}`, { ...init, headers: { authorization, ...init.headers } });
  return {
    url: served.url,
    ask,
    send: async (command) => {
      const headers = { "content-type": "application/json" };
      const answer = await ask("/api/commands", { method: "POST", headers, body: JSON.stringify({ command }) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
    listen: async (path) => hear(await ask(path)),
  };
}
