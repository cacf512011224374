import { basename } from "node:path";
import type { ExtensionContext, ExtensionUIContext, ResourceLoader } from "@earendil-works/pi-coding-agent";
import { KNOWN_TOOLS } from "../../../core/model/materia.ts";
import { loadExtensions } from "../../../shell/agents/extension-files.ts";
import { loadPi, type SessionHooks } from "../../../shell/agents/pi-sdk.ts";
import { bindDialogs, callingExtensions, recordDialog } from "../../../shell/agents/extension-dialogs.ts";
import { realTimer } from "../../../shell/agents/turn-guard.ts";
import type { ExtensionQuestion } from "../../../core/wire/stream.ts";
import { deferDialogs } from "../session/dialogs.ts";

type LoadedExtensions = ReturnType<ResourceLoader["getExtensions"]>;
type Extension = LoadedExtensions["extensions"][number];
type AskDialog = <T>(kind: ExtensionQuestion["kind"], text: string, dialog: () => Promise<T>) => Promise<T>;

/** What an extension may do inside an agent's session: start, end, and check tool calls. */
const KEPT_EVENTS = new Set(["session_start", "session_shutdown", "tool_call", "tool_result"]);

/** [X16, X47] Loads into each agent's session the user's extensions that guard tools, and those whose tools the agent was given. */
export async function findToolGuards(ctx: ExtensionContext): Promise<Pick<SessionHooks, "resources" | "opened">> {
  const pi = await loadPi();
  const { cwd, mode, ui } = ctx;
  const others = (await findExtensions(ctx)).filter((extension) => !isMateriaExtension(extension));
  return {
    resources: async (own, { tools }, { files: declared, factories = [] }) => {
      const isWanted = (extension: Extension): boolean =>
        guardsTools(extension) || tools.some((tool) => extension.tools.has(tool));
      const named = others.filter(isWanted).map(({ resolvedPath }) => resolvedPath);
      if (named.every((path) => declared.includes(path))) return own;
      const loaded = await loadExtensions(pi, { cwd, files: [...new Set([...declared, ...named])], factories });
      const isDeclared = ({ resolvedPath }: Extension): boolean =>
        declared.includes(resolvedPath) || resolvedPath.startsWith("<inline");
      const extensions = loaded.extensions
        .filter((each) => !isMateriaExtension(each) && (isDeclared(each) || isWanted(each)))
        .map((each) => (isDeclared(each) ? each : keepGuardHandlers(each)));
      return { ...own, getExtensions: () => ({ ...loaded, extensions }) };
    },
    opened: (session, turn) => {
      if (mode !== "tui" && mode !== "rpc") return bindDialogs(session, turn, realTimer);
      const ask: AskDialog = (kind, text, dialog) => {
        const extension = callingExtensions(session, turn);
        return recordDialog(turn, { extension, kind, text }, dialog());
      };
      return session.bindExtensions({ mode, uiContext: restrictedUi(ui, mode, ask), onError: () => undefined });
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
  const pi = await loadPi();
  const { cwd } = ctx;
  const settings = pi.SettingsManager.create(cwd, pi.getAgentDir(), { projectTrusted: ctx.isProjectTrusted() });
  return (await loadExtensions(pi, { cwd, files: named, settings: only ? undefined : settings })).extensions;
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
function restrictedUi(ui: ExtensionUIContext, mode: ExtensionContext["mode"], ask: AskDialog): ExtensionUIContext {
  const calm = deferDialogs(ui, mode);
  const drawing = Object.keys(ui).filter((name) => /^(?:set|add|paste)/.test(name) && name !== "setTheme");
  const silenced = Object.fromEntries(drawing.map((name) => [name, doNothing]));
  return {
    ...ui,
    select: (...asked) => ask("select", asked[0], () => calm.select(...asked)),
    confirm: (...asked) => ask("confirm", `${asked[0]}\n${asked[1]}`, () => calm.confirm(...asked)),
    input: (...asked) => ask("input", asked[0], () => ui.input(...asked)),
    editor: (...asked) => ask("editor", asked[0], () => ui.editor(...asked)),
    custom: (...asked) => ask("editor", "", () => ui.custom(...asked)),
    onTerminalInput: () => doNothing,
    ...silenced,
  };
}

function doNothing(): void {}
