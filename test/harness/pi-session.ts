import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InMemoryCredentialStore } from "@earendil-works/pi-ai";
import {
  createAgentSession,
  DefaultResourceLoader,
  ModelRuntime,
  SessionManager,
  SettingsManager,
  type ExtensionFactory,
} from "@earendil-works/pi-coding-agent";
import { onTestFinished, vi } from "vitest";
import materia from "../../src/apps/pi/extension.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { piFolder, scratchFolder } from "./agents.ts";
import { scriptedModel, textOf, type ModelReply, type ModelRequest } from "./pi-model.ts";
import { openMemory, recordingScreen } from "./pi-screen.ts";

export interface PiSetting {
  readonly mode?: "tui" | "rpc" | "print" | "json";
  readonly replies?: readonly ModelReply[];
  readonly cwd?: string;
  readonly sessions?: SessionManager;
  readonly tools?: readonly string[];
  readonly extensions?: readonly ExtensionFactory[];
  /** Files of extensions that the session itself loads. */
  readonly gates?: readonly string[];
  /** Files of Pi's own folder. */
  readonly agentFiles?: Readonly<Record<string, unknown>>;
  readonly confirm?: (title: string, message: string) => boolean | Promise<boolean>;
  readonly editorText?: string;
  readonly keyFault?: string;
  readonly select?: (title: string) => string | undefined;
  readonly input?: (title: string) => string | undefined;
  readonly editor?: (text: string) => string | undefined;
  readonly trusted?: boolean;
}

/** A real session of Pi with the extension in it, a scripted model and a screen that remembers. */
export interface PiSession {
  readonly cwd: string;
  readonly session: Awaited<ReturnType<typeof createAgentSession>>["session"];
  readonly requests: readonly ModelRequest[];
  readonly errors: readonly unknown[];
  readonly type: (text: string) => Promise<void>;
  /** All that was shown so far, one line of `kind: text` per thing. */
  readonly shown: () => readonly string[];
  /** Resolves with the first thing shown from now on, or already and not yet taken, that matches. */
  readonly sees: (pattern: RegExp) => Promise<string>;
  readonly press: (keys: string) => unknown;
  readonly asked: () => Promise<void>;
  readonly reply: (...replies: readonly ModelReply[]) => void;
  readonly leave: (reason: "quit" | "reload" | "new") => Promise<void>;
}

const people = new Map<string, string>();

export async function openPiSession(setting: PiSetting = {}): Promise<PiSession> {
  const cwd = setting.cwd ?? scratchFolder();
  const agentDir = piFolder({ "settings.json": {}, ...setting.agentFiles });
  // A person who comes back to a folder is the same person.
  const person = people.get(cwd) ?? scratchFolder();
  people.set(cwd, person);
  vi.stubEnv("XDG_CONFIG_HOME", person);
  const seen = openMemory();
  const model = scriptedModel(setting.replies ?? []);
  const modelRuntime = await ModelRuntime.create({
    credentials: new InMemoryCredentialStore(),
    modelsPath: null,
    modelsStorePath: join(agentDir, "models-store.json"),
    refreshOnCreate: false,
  });
  modelRuntime.registerNativeProvider(model.provider);
  await modelRuntime.refresh({ allowNetwork: false });
  const settingsManager = SettingsManager.inMemory(
    { retry: { enabled: false } },
    { projectTrusted: setting.trusted ?? true },
  );
  const resourceLoader = new DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager,
    extensionFactories: [materia, ...(setting.extensions ?? [])],
    noExtensions: true,
    additionalExtensionPaths: [...(setting.gates ?? [])],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  await resourceLoader.reload();
  const first = modelRuntime.getModel("scripted", "first");
  const { session } = await createAgentSession({
    cwd,
    agentDir,
    modelRuntime,
    ...(first ? { model: first } : {}),
    thinkingLevel: "medium",
    ...(setting.tools ? { tools: [...setting.tools] } : {}),
    resourceLoader,
    settingsManager,
    sessionManager: setting.sessions ?? SessionManager.inMemory(cwd),
  });
  session.subscribe((event) => {
    if (event.type === "entry_appended" && event.entry.type === "custom")
      seen.add(`${event.entry.customType}: ${cardText(event.entry.data)}`);
    if (event.type === "message_end" && event.message.role === "custom")
      seen.add(`${event.message.customType}: ${textOf(event.message.content)}`);
    if (event.type === "agent_settled") seen.add("settled:");
  });
  const errors: unknown[] = [];
  const screen = recordingScreen(setting, seen.add);
  const mode = setting.mode ?? "rpc";
  const hasScreen = mode === "tui" || mode === "rpc";
  await session.bindExtensions({
    ...(hasScreen ? { uiContext: screen.ui } : {}),
    mode,
    onError: (error) => errors.push(error),
    commandContextActions: {
      waitForIdle: () => session.waitForIdle(),
      newSession: async () => ({ cancelled: true }),
      fork: async () => ({ cancelled: true }),
      switchSession: async () => ({ cancelled: true }),
      reload: async () => {},
      navigateTree: async () => ({ cancelled: true }),
    },
  });
  const leave: PiSession["leave"] = async (reason) => {
    await session.extensionRunner.emit({ type: "session_shutdown", reason });
  };
  onTestFinished(async () => {
    // As Pi does: what the extension watches in this process ends with the session.
    await leave("quit");
    session.dispose();
  });
  return {
    cwd,
    session,
    requests: model.requests,
    errors,
    type: (text) => session.prompt(text, { source: mode === "tui" ? "interactive" : "rpc" }),
    shown: seen.all,
    sees: seen.sees,
    press: screen.press,
    asked: model.asked,
    reply: model.reply,
    leave,
  };
}

function cardText(data: unknown): string {
  if (typeof data !== "object" || data === null || !("lines" in data)) return JSON.stringify(data);
  const lines = data.lines as readonly (readonly { readonly text: string }[])[];
  return lines.map((line) => line.map(({ text }) => text).join("")).join("\n");
}

/** A project with its own configuration. */
export function project(config: object, files: Readonly<Record<string, string>> = {}): string {
  const cwd = scratchFolder();
  mkdirSync(join(cwd, ".pi"));
  writeFileSync(join(cwd, ".pi", "pi-materia.json"), JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

/** The types of the events of the newest cast. */
export async function eventTypes(cwd: string): Promise<readonly string[]> {
  const store = fileStore(join(cwd, ".pi", "pi-materia"));
  const ids = await store.listIds();
  const [newest] = ids.ok ? ids.value : [];
  const cast = newest && (await store.load(newest));
  return cast?.ok ? cast.value.events.map(({ type }) => type) : [];
}
