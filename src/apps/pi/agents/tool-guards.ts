import { basename } from "node:path";
import type {
  AgentSession,
  ExtensionContext,
  ResourceLoader,
  ExtensionUIContext,
} from "@earendil-works/pi-coding-agent";
import { KNOWN_TOOLS } from "../../../core/model/materia.ts";
import { loadPi, type SessionHooks, type Pi } from "../../../shell/agents/pi-sdk.ts";
import { createExtensionLoader, type SessionExtensions } from "../../../shell/agents/equipment.ts";
import { deferDialogs } from "../session/dialogs.ts";

type LoadedExtensions = ReturnType<ResourceLoader["getExtensions"]>;
type Extension = LoadedExtensions["extensions"][number];

/** What an extension may do inside an agent's session: start, end, and check tool calls. */
const KEPT_EVENTS = new Set(["session_start", "session_shutdown", "tool_call", "tool_result"]);

/** [X16, X47] Loads into each agent's session the user's extensions that guard tools, and those whose tools the agent was given. */
export async function findToolGuards(ctx: ExtensionContext): Promise<Pick<SessionHooks, "resources" | "opened">> {
  const pi = await loadPi();
  const trusted = ctx.isProjectTrusted();
  const { cwd, mode, ui } = ctx;
  const others = (await findExtensions(ctx)).filter((extension) => !isMateriaExtension(extension));
  return {
    resources: async (own, { tools }, { files: declared, factories = [] }) => {
      const isWanted = (extension: Extension): boolean =>
        guardsTools(extension) || tools.some((tool) => extension.tools.has(tool));
      const named = others.filter(isWanted).map(({ resolvedPath }) => resolvedPath);
      if (named.every((path) => declared.includes(path))) return own;
      const wanted = { cwd, trusted, only: true, files: [...new Set([...declared, ...named])], factories };
      const loaded = await loadExtensions(pi, wanted);
      const isDeclared = ({ resolvedPath }: Extension): boolean =>
        declared.includes(resolvedPath) || resolvedPath.startsWith("<inline");
      const extensions = loaded.extensions
        .filter((each) => !isMateriaExtension(each) && (isDeclared(each) || isWanted(each)))
        .map((each) => (isDeclared(each) ? each : keepGuardHandlers(each)));
      return { ...own, getExtensions: () => ({ ...loaded, extensions }) };
    },
    opened: (session: AgentSession, { suspendTimeout: hold }) => {
      const asks = mode === "tui" || mode === "rpc";
      const uiContext = asks ? { uiContext: restrictedUi(ui, mode, hold) } : {};
      return session.bindExtensions({ mode, ...uiContext, onError: () => undefined });
    },
  };
}

/** [X53] The user's extensions that guard tools, by file name. */
export async function toolGuardNames(ctx: ExtensionContext): Promise<readonly string[]> {
  const guards = (await findExtensions(ctx)).filter((each) => !isMateriaExtension(each) && guardsTools(each));
  return guards.map(({ resolvedPath }) => basename(resolvedPath));
}

/** Extensions given on Pi's command line are in no settings file. */
async function findExtensions(ctx: ExtensionContext): Promise<readonly Extension[]> {
  const { argv } = process;
  const named = argv.flatMap((word, at) => {
    const next = argv[at + 1];
    return (word === "-e" || word === "--extension") && next !== undefined ? [next] : [];
  });
  const only = argv.includes("-ne") || argv.includes("--no-extensions");
  const wanted = { cwd: ctx.cwd, trusted: ctx.isProjectTrusted(), files: named, only };
  return (await loadExtensions(await loadPi(), wanted)).extensions;
}

interface ExtensionQuery extends SessionExtensions {
  readonly cwd: string;
  readonly trusted: boolean;
  /** Whether only these files are loaded. */
  readonly only: boolean;
}

async function loadExtensions(pi: Pi, { trusted, only: noExtensions, ...query }: ExtensionQuery) {
  const settingsManager = pi.SettingsManager.create(query.cwd, pi.getAgentDir(), { projectTrusted: trusted });
  const loader = createExtensionLoader(pi, { ...query, settingsManager, noExtensions });
  await loader.reload();
  return loader.getExtensions();
}

/** An agent must not start casts, so this extension is never loaded. */
function isMateriaExtension({ commands }: Extension): boolean {
  return commands.has("materia");
}

function guardsTools({ handlers, tools }: Extension): boolean {
  return handlers.has("tool_call") || handlers.has("tool_result") || KNOWN_TOOLS.some((tool) => tools.has(tool));
}

function keepGuardHandlers(extension: Extension): Extension {
  const handlers = new Map([...extension.handlers].filter(([name]) => KEPT_EVENTS.has(name)));
  return { ...extension, handlers, commands: new Map(), shortcuts: new Map() };
}

/** The user's screen for a guard inside an agent's session: it may ask and notify, nothing else. */
function restrictedUi(
  ui: ExtensionUIContext,
  mode: ExtensionContext["mode"],
  hold: () => () => void,
): ExtensionUIContext {
  const calm = deferDialogs(ui, mode);
  const drawing = Object.keys(ui).filter((name) => /^(?:set|add|paste)/.test(name) && name !== "setTheme");
  const silenced = Object.fromEntries(drawing.map((name) => [name, doNothing]));
  // [X32] While the person decides, the agent does not count as silent.
  const asking = <T>(dialog: Promise<T>): Promise<T> => dialog.finally(hold());
  return {
    ...ui,
    select: (...asked) => asking(calm.select(...asked)),
    confirm: (...asked) => asking(calm.confirm(...asked)),
    input: (...asked) => asking(ui.input(...asked)),
    editor: (...asked) => asking(ui.editor(...asked)),
    custom: (...asked) => asking(ui.custom(...asked)),
    onTerminalInput: () => doNothing,
    ...silenced,
  };
}

function doNothing(): void {}
