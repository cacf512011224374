import type { Api, CredentialStore, Model } from "@earendil-works/pi-ai";
import type { AgentSession, ModelRuntime, ResourceLoader, SettingsManager } from "@earendil-works/pi-coding-agent";
import type { TurnRequest } from "../ports.ts";
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { truncate } from "../../core/model/text.ts";
import { currentToolsUser } from "../process/tools-user.ts";

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

/** [A28] How much of all instructions together an agent is told. */
const MAX_INSTRUCTION_CHARS = 40_000;

/** [A28] What an agent is told before its task: what the folder it works in says to everybody, then its own role. */
export function systemPromptFor(pi: Pi, request: Pick<TurnRequest, "system" | "instructions" | "cwd">): string {
  const parts = instructionsFor(pi, request);
  if (parts.length === 0) return request.system;
  return [`Instructions that hold for all work in this folder:`, ...parts, request.system].join("\n\n");
}

function instructionsFor(pi: Pi, { instructions, cwd }: Pick<TurnRequest, "instructions" | "cwd">): readonly string[] {
  if (instructions === "none") return [];
  const agentDir = pi.getAgentDir();
  const files = pi
    .loadProjectContextFiles({ cwd, agentDir })
    .filter(({ path }) => instructions === "project" || path.startsWith(`${agentDir}${sep}`))
    .filter(({ path }) => currentToolsUser() === undefined || isNotLink(path));
  // The nearest file counts most, so that it is the one that gets its room first.
  let room = MAX_INSTRUCTION_CHARS;
  const parts: string[] = [];
  for (const { path, content } of files.toReversed()) {
    const text = truncate(content.trim(), room);
    room = Math.max(0, room - text.length);
    if (text !== "") parts.unshift(`<project_instructions path="${path}">\n${text}\n</project_instructions>`);
  }
  return parts;
}

/** [B64] What tools of another user laid there as a link would be read with the rights of this one. */
function isNotLink(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
