import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterFile } from "./after-file.ts";
import { fromRoot, IS_BUILT } from "./built.ts";
import { envOf, newPlace, put } from "./cli.ts";
import { startModelServer, type ModelServer, type ServerReply } from "./model-server.ts";

/** The program and the extension under test; another Pi is tested by naming it. */
export const PI = process.env["PI_BIN"] ?? fromRoot("node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
export const EXTENSION =
  process.env["PI_EXTENSION"] ?? fromRoot(IS_BUILT ? "bin/extension.ts" : "src/apps/pi/extension.ts");

/** A project, its user's home, and Pi's own folder, which knows one provider: a stand-in on the loopback. */
export interface PiPlace {
  readonly cwd: string;
  readonly agentDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ModelServer;
}

export async function newPiPlace(
  files: Readonly<Record<string, unknown>> = {},
  ...replies: readonly ServerReply[]
): Promise<PiPlace> {
  return piPlaceIn(newPlace(files), ...replies);
}

/** The same in a project that is there already. */
export async function piPlaceIn(cwd: string, ...replies: readonly ServerReply[]): Promise<PiPlace> {
  const model = await startModelServer(replies);
  afterFile(() => model.close());
  const agentDir = join(dirname(cwd), "agent");
  mkdirSync(agentDir);
  put(agentDir, { "models.json": modelsFor(model.url), "settings.json": SETTINGS });
  const shared = join(tmpdir(), "materia-pi-e2e");
  mkdirSync(shared, { recursive: true });
  const env = {
    ...envOf(cwd),
    // Pi keeps its translation of the extension here; done once, it need not be done again in each place.
    TMPDIR: shared,
    PI_CODING_AGENT_DIR: agentDir,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
  };
  return { cwd, agentDir, env, model };
}

/** What the user of a place has configured for themselves, which needs no trust: as files of a project, beside which the user's home stands. */
export function userConfig(config: object): Readonly<Record<string, unknown>> {
  return { "../home/.config/pi/pi-materia/materia.json": config };
}

const SETTINGS = {
  defaultProvider: "stand-in",
  defaultModel: "plain",
  defaultThinkingLevel: "low",
  retry: { enabled: true, maxRetries: 1, baseDelayMs: 10 },
};

function modelsFor(url: string): object {
  const standIn = {
    baseUrl: url,
    api: "openai-completions",
    apiKey: "none",
    compat: { supportsDeveloperRole: false, supportsStore: false },
    models: [modelOf("plain"), modelOf("clever")],
  };
  // A provider whose key comes from a variable that is not set.
  const keyless = { ...standIn, apiKey: "$NO_SUCH_KEY", models: [modelOf("locked")] };
  return { providers: { "stand-in": standIn, keyless } };
}

function modelOf(id: string): object {
  const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
  return { id, reasoning: true, contextWindow: 128_000, maxTokens: 4096, cost };
}
