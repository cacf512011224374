import type { Api, CredentialStore, Model } from "@earendil-works/pi-ai";
import type { AgentSession, ModelRuntime, ResourceLoader, SettingsManager } from "@earendil-works/pi-coding-agent";
import type { TurnRequest } from "../../ports.ts";

export type Pi = typeof import("@earendil-works/pi-coding-agent");
export type PiModel = Model<Api>;
export type PiSettings = ReturnType<SettingsManager["getGlobalSettings"]>;

/** What all turns of a host share. */
export interface PiContext {
  readonly pi: Pi;
  readonly runtime: ModelRuntime;
  readonly settings: SettingsManager;
}

/** What a face that runs inside Pi brings into the sessions of its agents; elsewhere there is none of it. */
export interface SessionHooks {
  /** Adds providers and keys that only this process knows. */
  readonly equip?: (runtime: ModelRuntime) => Promise<void>;
  /** In place of a session's bare resources. */
  readonly resources?: (bare: ResourceLoader, request: TurnRequest) => Promise<ResourceLoader>;
  /** A session is there, and its turn about to begin. */
  readonly opened?: (session: AgentSession, turn: SessionTurn) => Promise<void>;
}

export interface SessionTurn {
  readonly request: TurnRequest;
  /** Called when a person is asked something, and its answer when they have replied. */
  readonly suspendTimeout: () => () => void;
}

export interface RetryPolicy {
  /** How often a failed request is sent again. */
  readonly maxRetries: number;
  /** The wait before the first retry; it doubles with each one. */
  readonly baseDelayMs: number;
}

let loadModule = (): Promise<Pi> => import("@earendil-works/pi-coding-agent");

/** Imported only when an agent is wanted: Pi takes longer to load than most commands take to run. */
export function loadPi(): Promise<Pi> {
  return loadModule();
}

/** Inside Pi there is a copy of it already, which only Pi's own loader can reach; a second one would cost a second and share nothing. */
export function setPiLoader(own: () => Promise<Pi>): void {
  loadModule = own;
}

export function createSettings(pi: Pi, user: PiSettings, retry: RetryPolicy): SettingsManager {
  return pi.SettingsManager.inMemory({
    ...user,
    // Retries below the agent loop would be seen by nobody.
    retry: { ...user.retry, enabled: true, ...retry, provider: { ...user.retry?.provider, maxRetries: 0 } },
    compaction: { ...user.compaction, enabled: true },
    // A warming request is paid for and reported in no turn.
    cacheWarming: "off",
  });
}

/** [A24] No extension, skill, theme or template of the user: a turn is told what its cast and its folder tell it. */
export function bareResources(pi: Pi, system: string): ResourceLoader {
  const runtime = pi.createExtensionRuntime();
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    // Pi puts its own prompt in the place of an empty one.
    getSystemPrompt: () => (system === "" ? " " : system),
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
}

/** Where there is no file of keys, none is made; keys of the environment still count. */
export const EMPTY_CREDENTIALS: CredentialStore = {
  read: async () => undefined,
  list: async () => [],
  modify: async (_provider, change) => change(undefined),
  delete: async () => {},
};
