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
  PI_PACKAGE,
} from "./pi-sdk.ts";
import { registerSecrets } from "../secrets/redact.ts";
import { MAX_FILE_BYTES, readRegularFileText, valueOr } from "../system/files.ts";
import { error, type Issue, type KeyPath } from "../../core/model/issue.ts";
import { didYouMean, nearestName, thrownMessage } from "../../core/model/text.ts";
import { KNOWN_TOOLS, splitModels } from "../../core/model/materia.ts";
import { parseJson } from "../../core/model/json.ts";
import type { AgentRequirement } from "../ports.ts";

export interface ConfiguredPi extends PiContext {
  readonly problems: readonly string[];
}

/** Pi as the user configured it: credentials, models and settings of the agent folder. */
export async function loadConfiguredPi(
  retry: Partial<RetryPolicy>,
  equip?: SessionHooks["equip"],
): Promise<ConfiguredPi> {
  const pi = await loadPi();
  const folder = pi.getAgentDir();
  const auth = join(folder, "auth.json");
  const catalog = join(folder, "models-store.json");
  const runtime = await pi.ModelRuntime.create({
    modelsPath: join(folder, "models.json"),
    // Pi creates missing files. A refused command must leave nothing behind.
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
  | { readonly kind: "missing_api_key"; readonly wanted: string; readonly provider: string }
  | { readonly kind: "none" };

/** [A3] The named model, otherwise Pi's default. */
export async function chooseModel(stage: PiContext, wanted: string | undefined): Promise<ModelChoice> {
  if (wanted === undefined) return chooseDefault(stage);
  const slash = wanted.indexOf("/");
  const provider = wanted.slice(0, Math.max(0, slash));
  const model = stage.runtime.getModel(provider, wanted.slice(slash + 1));
  if (!model) return { kind: "unknown", wanted };
  // Pi may not know a provider that was registered just now. Asking directly is slower but certain.
  const hasKey = stage.runtime.hasConfiguredAuth(provider) || (await stage.runtime.checkAuth(provider)) !== undefined;
  return hasKey ? { kind: "found", model } : { kind: "missing_api_key", wanted, provider };
}

async function chooseDefault({ pi, runtime, settings }: PiContext): Promise<ModelChoice> {
  // Only a session resolves Pi's default: open one and drop it.
  const { session } = await pi.createAgentSession({
    modelRuntime: runtime,
    settingsManager: settings,
    sessionManager: pi.SessionManager.inMemory(),
    resourceLoader: bareResources(pi, ""),
    tools: [],
  });
  // Without a default, Pi's session holds a placeholder that no provider has.
  const model = session.model && runtime.getModel(session.model.provider, session.model.id);
  session.dispose();
  return model ? { kind: "found", model } : { kind: "none" };
}

const EMPTY_MODEL_STORE: ModelsStore = {
  read: async () => undefined,
  write: async () => {},
  delete: async () => {},
};

/** [S7] Every key in Pi's file: an agent may read it, and a provider may repeat it. */
function registerCredentials(file: string): void {
  // Pi reports what is wrong with the file.
  const credentials = parseJson(valueOr(() => readRegularFileText(file, MAX_FILE_BYTES.config), ""));
  registerSecrets(collectStrings(credentials).map((value) => ({ name: "key of Pi", value })));
}

/** [S7] The key for requests to a model, from any of Pi's sources: the texts that are secret. */
export async function registerModelKey({ runtime }: PiContext, model: PiModel): Promise<readonly string[]> {
  // Without a key the request fails with its own message.
  const texts = collectStrings((await runtime.getAuth(model).catch(() => undefined))?.auth);
  registerSecrets(texts.map((value) => ({ name: `key of ${model.provider}`, value })));
  return texts;
}

function collectStrings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value, value.replace(/^Bearer /, "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    NON_SECRET_FIELDS.has(key) ? [] : collectStrings(inner),
  );
}

/** Fields beside a key that are not secret. */
const NON_SECRET_FIELDS = new Set(["type", "baseUrl", "provider", "projectId", "email", "accountId", "scope"]);

const WITHOUT_MODEL = "rehearse without a model with --rehearse FILE";
/** Where the model was typed, or could be, when no materia names it. */
const MODEL_OPTION: KeyPath = ["--model"];
const ANOTHER_MODEL = "choose a model with --model provider/id";

/** [A26] Every agent runs in Pi, also a rehearsed one. Without Pi no cast starts. */
export function missingPiIssue(cause: unknown): Issue {
  const missing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
  const message = missing
    ? "Pi is not installed here, and it runs the agents, rehearsed ones too"
    : `Pi, which runs the agents, could not be started: ${thrownMessage(cause)}`;
  const hint = `npm install ${PI_PACKAGE} (beside pi-materia; with -g where that was installed with -g)`;
  return error("missing_pi", PI_PACKAGE, message, hint);
}

export async function checkPi(): Promise<Issue | undefined> {
  return loadPi().then(() => undefined, missingPiIssue);
}

/** [A6] Reports each unknown tool once, with every socket that uses it, and what would bring it. `others` have a tool that these do not. */
export function toolIssues(
  needs: readonly AgentRequirement[],
  others: ReadonlyMap<string, string> = new Map(),
): readonly Issue[] {
  const wanted = needs.flatMap((need) => need.tools.map((tool) => ({ tool, need })));
  const unknown = Map.groupBy(
    wanted.filter(({ tool }) => !KNOWN_TOOLS.includes(tool)),
    ({ tool }) => tool,
  );
  return [...unknown].map(([tool, uses]) => {
    const message = `"${tool}" is not a tool of Pi; wanted by ${needNames(uses.map(({ need }) => need))}`;
    return error("unknown_tool", needPath(uses[0]?.need, "tools"), message, toolHint(tool, others));
  });
}

function toolHint(tool: string, others: ReadonlyMap<string, string>): string {
  const user = others.get(tool);
  if (user !== undefined) return `${user} has it: name the same "extensions" and "mcp" here`;
  const names = [...new Set([...KNOWN_TOOLS, ...others.keys()])];
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  const all = `Pi has ${names.join(", ")}; "extensions" and "mcp" may bring others, and "tools" of a rehearsal plays those of servers`;
  return didYouMean(tool, names) ?? (server === undefined ? all : `"mcp": ["${server}"] may bring it`);
}

/** [A4] Reports each unusable model once, with every socket that uses it and the remedies. */
export async function modelIssues(
  stage: ConfiguredPi,
  needs: readonly AgentRequirement[],
  { defaultModel, defaultModelAt: at = MODEL_OPTION }: { defaultModel?: string; defaultModelAt?: KeyPath },
): Promise<readonly Issue[]> {
  const choices = needs.flatMap((need) => {
    const named = need.model ?? defaultModel;
    const names: readonly (string | undefined)[] = named === undefined ? [undefined] : splitModels(named);
    return names.map((name) => ({ need, name }));
  });
  const byModel = Map.groupBy(choices, ({ name }) => name);
  const issues: Issue[] = [];
  for (const [wanted, uses] of byModel) {
    const users = uses.map(({ need }) => need);
    const issue = modelIssue(await chooseModel(stage, wanted), { users, at }, stage);
    if (issue) issues.push(issue);
  }
  if (issues.length === 0) return [];
  const unread = stage.problems.map((problem) =>
    error("pi_configuration", stage.pi.getAgentDir(), `Pi could not read its configuration: ${problem}`),
  );
  return [...issues, ...unread];
}

/** `users` are the sockets that use the model, `at` is the setting that names it unless a materia does. */
function modelIssue(
  choice: ModelChoice,
  { users, at }: { readonly users: readonly AgentRequirement[]; readonly at: KeyPath },
  stage: ConfiguredPi,
): Issue | undefined {
  const who = needNames(users);
  const named = users.find((need) => need.model !== undefined);
  const path = named ? needPath(named, "model") : at;
  switch (choice.kind) {
    case "found":
      return undefined;
    case "unknown": {
      const near = modelSuggestion(choice.wanted, stage);
      const other = path === MODEL_OPTION ? "" : `${ANOTHER_MODEL}, `;
      const hint = `${near}${other}add it to Pi (/login, models.json), or ${WITHOUT_MODEL}`;
      return error("unknown_model", path, `Pi knows no model "${choice.wanted}"; wanted by ${who}`, hint);
    }
    case "missing_api_key": {
      const { provider, wanted } = choice;
      const hint = `log in to ${provider} with /login in Pi or set its key, ${ANOTHER_MODEL}, or ${WITHOUT_MODEL}`;
      const message = `there is no key for ${provider}, the provider of ${wanted}; wanted by ${who}`;
      return error("missing_api_key", path, message, hint);
    }
    case "none": {
      const hint = `log in with /login in Pi, ${ANOTHER_MODEL}, or ${WITHOUT_MODEL}`;
      return error("missing_model", MODEL_OPTION, `Pi has no model with a key; wanted by ${who}`, hint);
    }
  }
}

const MOST_NAMED = 3;

/** Suggests models: people often omit the provider or know only part of the name. */
function modelSuggestion(wanted: string, stage: ConfiguredPi): string {
  const models = stage.runtime.getModels().map(({ provider, id }) => ({ id, full: `${provider}/${id}` }));
  const id = wanted.slice(wanted.indexOf("/") + 1).toLowerCase();
  const same = models.filter(({ id }) => id === wanted).map(({ full }) => full);
  const all = models.map(({ full }) => full);
  const close = nearestName(wanted, all) ?? [];
  const holding = all.filter((_full, index) => id.length >= 3 && models[index]?.id.toLowerCase().includes(id));
  const names = [...new Set([same, close, holding].flat())].slice(0, MOST_NAMED);
  return names.length === 0 ? "" : `did you mean ${names.map((name) => `"${name}"`).join(" or ")}? `;
}

function needPath(need: AgentRequirement | undefined, field: "model" | "tools"): KeyPath {
  return ["materia", need?.materia ?? "", field];
}

function needNames(needs: readonly AgentRequirement[]): string {
  const named = needs.slice(0, 3).map((need) => `${need.materia} (${need.socket})`);
  const more = needs.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}
