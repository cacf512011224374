import type { Api, CredentialStore, Model } from "@earendil-works/pi-ai";
import type { AgentSession, ModelRuntime, ResourceLoader, SettingsManager } from "@earendil-works/pi-coding-agent";
import type { TurnRequest } from "../ports.ts";
import type { SessionExtensions } from "./extension-files.ts";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { truncate } from "../../core/model/text.ts";
import { currentToolsUser } from "../process/tools-user.ts";
import { valueOr } from "../system/files.ts";
import { realPathOrSame } from "../system/folders.ts";

export type Pi = typeof import("@earendil-works/pi-coding-agent");
export type PiModel = Model<Api>;
/** [Z18] A model of newer versions of Pi that picks another one for each request. */
export function isVirtualModel({ api }: Pick<PiModel, "api">): boolean {
  return api === "pi-virtual";
}

export interface PiContext {
  readonly pi: Pi;
  readonly runtime: ModelRuntime;
  readonly settings: SettingsManager;
}

export interface SessionHooks {
  readonly equip?: (runtime: ModelRuntime) => Promise<void>;
  readonly resources?: (
    own: ResourceLoader,
    request: TurnRequest,
    extensions: SessionExtensions,
  ) => Promise<ResourceLoader>;
  readonly opened?: (session: AgentSession, turn: SessionTurn) => Promise<void>;
}

export interface SessionTurn {
  readonly request: TurnRequest;
  /** Called when a person must answer; the returned function is called after the answer. */
  readonly suspendTimeout: () => () => void;
  /** Aborted when the turn stops or has ended. */
  readonly over: AbortSignal;
}

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly baseDelayMs: number;
}

export const PI_PACKAGE = "@earendil-works/pi-coding-agent";
/** Names the folder of the Pi that started this process: no Pi may be installed beside this package. */
const PI_VARIABLE = "MATERIA_PI";

/** [X37] For a child process: the folder of the running Pi, if this process is one. */
export function runningPiEnvironment(): Readonly<Record<string, string>> {
  const folder = valueOr(() => piFolderAbove(dirname(realpathSync(process.argv[1] ?? ""))), undefined);
  return folder === undefined ? {} : { [PI_VARIABLE]: folder };
}

function piFolderAbove(folder: string): string | undefined {
  if (isPiFolder(folder)) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : piFolderAbove(above);
}

function isPiFolder(folder: string): boolean {
  return readPackage(folder)?.name === PI_PACKAGE;
}

function readPackage(folder: string): { readonly name?: unknown; readonly main?: unknown } | undefined {
  return valueOr(() => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), undefined);
}

let loadModule = async (): Promise<Pi> => {
  const bundle = findBundle();
  // The bundle exports what the package exports, from few files: it loads in a third of the time.
  return bundle === undefined ? import("@earendil-works/pi-coding-agent") : ((await import(bundle)) as Pi);
};

/** [YP8] What another program imports to have the same Pi. */
export function piModuleAddress(): string {
  return findBundle() ?? import.meta.resolve(PI_PACKAGE);
}

/** Not every version of Pi has a bundle. */
function findBundle(): string | undefined {
  try {
    const handed = process.env[PI_VARIABLE] ?? runningPiEnvironment()[PI_VARIABLE];
    const given = handed !== undefined && isPiFolder(handed) ? handed : undefined;
    const found = given ?? dirname(findPackageJSON(PI_PACKAGE, import.meta.url) ?? "");
    const main = given === undefined ? undefined : readPackage(given)?.main;
    const file = join(found, "dist", "bundle", "index.js");
    if (existsSync(file)) return pathToFileURL(file).href;
    return typeof main === "string" ? pathToFileURL(join(found, main)).href : undefined;
  } catch {
    return undefined;
  }
}

/** Imported on demand: Pi takes longer to load than most commands take to run. */
export function loadPi(): Promise<Pi> {
  return loadModule();
}

/** Inside Pi only its own loader reaches the loaded copy; a second copy would take a second to load and share nothing. */
export function setPiLoader(own: () => Promise<Pi>): void {
  loadModule = own;
}

export function createSettings(
  pi: Pi,
  user: ReturnType<SettingsManager["getGlobalSettings"]>,
  retry: RetryPolicy,
): SettingsManager {
  return pi.SettingsManager.inMemory({
    ...user,
    // Retries below the agent loop would be invisible.
    retry: { ...user.retry, enabled: true, ...retry, provider: { ...user.retry?.provider, maxRetries: 0 } },
    compaction: { ...user.compaction, enabled: true },
    // A warming request costs money and is reported in no turn.
    cacheWarming: "off",
  });
}

/** [A24] No extension, skill, theme or template of the user: a turn gets the text of its cast and its folder only. */
export function bareResources(pi: Pi, system: string): ResourceLoader {
  const runtime = pi.createExtensionRuntime();
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    // Pi replaces an empty prompt with its own.
    getSystemPrompt: () => (system === "" ? " " : system),
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
}

/** Creates no file of keys; keys of the environment still count. */
export const EMPTY_CREDENTIALS: CredentialStore = {
  read: async () => undefined,
  list: async () => [],
  modify: async (_provider, change) => change(undefined),
  delete: async () => {},
};

/** [A28] The limit of all instructions together. */
const MAX_INSTRUCTION_CHARS = 40_000;

/** [A28] The system prompt: first the instructions of the working folder, then the role of the agent. */
export function systemPromptFor(pi: Pi, request: Pick<TurnRequest, "system" | "instructions" | "cwd">): string {
  const parts = instructionsFor(pi, request);
  if (parts.length === 0) return request.system;
  return [`Instructions that hold for all work in this folder:`, ...parts, request.system].join("\n\n");
}

function instructionsFor(pi: Pi, { instructions, cwd }: Pick<TurnRequest, "instructions" | "cwd">): readonly string[] {
  if (instructions === "none") return [];
  const agentDir = pi.getAgentDir();
  const isOfUser = (path: string) => path.startsWith(`${agentDir}${sep}`);
  const files = pi
    .loadProjectContextFiles({ cwd, agentDir })
    .filter(({ path }) => instructions === "project" || isOfUser(path))
    // [B64] Do not follow links: tools of another user may have planted one to a file that only this user may read.
    .filter(({ path }) => currentToolsUser() === undefined || realPathOrSame(path) === path);
  // The nearest file matters most: it gets its space first.
  let room = MAX_INSTRUCTION_CHARS;
  const parts: string[] = [];
  for (const { path, content } of files.toReversed()) {
    const text = truncate(content.trim(), room);
    room = Math.max(0, room - text.length);
    // The same in the tree of every item, so that a cache holds it for all.
    const name = isOfUser(path) ? path : relative(cwd, path);
    if (text !== "") parts.unshift(`<project_instructions path="${name}">\n${text}\n</project_instructions>`);
  }
  return parts;
}
