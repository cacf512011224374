import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ModelsStore } from "@earendil-works/pi-ai";
import {
  loadPi,
  EMPTY_CREDENTIALS,
  bareResources,
  createSettings,
  type SessionHooks,
  type PiModel,
  type RetryPolicy,
  type PiContext,
} from "./pi.ts";
import { registerCredentials } from "./pi-secrets.ts";

export interface ConfiguredPi extends PiContext {
  /** Files of Pi that it could not read, in its words. */
  readonly problems: readonly string[];
}

/** Pi as its user has configured it: credentials, models and settings of the agent folder. */
export async function loadConfiguredPi(retry: Partial<RetryPolicy>, equip?: SessionHooks["equip"]): Promise<ConfiguredPi> {
  const pi = await loadPi();
  const folder = pi.getAgentDir();
  const auth = join(folder, "auth.json");
  const catalog = join(folder, "models-store.json");
  const runtime = await pi.ModelRuntime.create({
    modelsPath: join(folder, "models.json"),
    // Pi creates what it does not find; a refused command leaves nothing behind.
    ...(existsSync(auth) ? { authPath: auth } : { credentials: EMPTY_CREDENTIALS }),
    ...(existsSync(catalog) ? { modelsStorePath: catalog } : { modelsStore: EMPTY_MODEL_STORE }),
  });
  registerCredentials(auth);
  await equip?.(runtime);
  const user = pi.SettingsManager.create(folder, folder, { projectTrusted: false });
  const settings = user.getGlobalSettings();
  return {
    pi,
    runtime,
    settings: createSettings(pi, settings, {
      maxRetries: retry.maxRetries ?? settings.retry?.maxRetries ?? 3,
      baseDelayMs: retry.baseDelayMs ?? settings.retry?.baseDelayMs ?? 2000,
    }),
    problems: [runtime.getError() ?? [], user.drainErrors().map(({ error }) => error.message)].flat(),
  };
}

export type ModelChoice =
  | { readonly kind: "found"; readonly model: PiModel }
  | { readonly kind: "unknown"; readonly wanted: string }
  | { readonly kind: "no_key"; readonly wanted: string; readonly provider: string }
  | { readonly kind: "none" };

/** [A3] A named model, else the one that Pi itself would start with. */
export async function chooseModel(stage: PiContext, wanted: string | undefined): Promise<ModelChoice> {
  if (wanted === undefined) return chooseDefault(stage);
  const slash = wanted.indexOf("/");
  const provider = wanted.slice(0, Math.max(0, slash));
  const model = stage.runtime.getModel(provider, wanted.slice(slash + 1));
  if (!model) return { kind: "unknown", wanted };
  // Of a provider that was registered a moment ago Pi may not have taken note yet; asking it outright is slower and sure.
  const hasKey = stage.runtime.hasConfiguredAuth(provider) || (await stage.runtime.checkAuth(provider)) !== undefined;
  return hasKey ? { kind: "found", model } : { kind: "no_key", wanted, provider };
}

async function chooseDefault({ pi, runtime, settings }: PiContext): Promise<ModelChoice> {
  // Only a session asks Pi for its default; this one says nothing and is thrown away.
  const { session } = await pi.createAgentSession({
    modelRuntime: runtime,
    settingsManager: settings,
    sessionManager: pi.SessionManager.inMemory(),
    resourceLoader: bareResources(pi, ""),
    tools: [],
  });
  // Without one, Pi's session holds a stand-in that no provider has.
  const model = session.model && runtime.getModel(session.model.provider, session.model.id);
  session.dispose();
  return model ? { kind: "found", model } : { kind: "none" };
}

const EMPTY_MODEL_STORE: ModelsStore = {
  read: async () => undefined,
  write: async () => {},
  delete: async () => {},
};
