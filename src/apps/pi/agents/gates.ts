import { basename } from "node:path";
import type { AgentSession, ExtensionContext, ResourceLoader } from "@earendil-works/pi-coding-agent";
import { KNOWN_TOOLS } from "../../../core/model/tools.ts";
import { loadPi, type SessionHooks, type Pi } from "../../../shell/agents/pi/pi.ts";
import { quietUi } from "./quiet-ui.ts";

type Loaded = ReturnType<ResourceLoader["getExtensions"]>;
type Extension = Loaded["extensions"][number];

/** What an extension may still do inside an agent's session: begin, end, and judge the tools. */
const KEPT_HANDLERS = new Set(["session_start", "session_shutdown", "tool_call", "tool_result"]);

/** [X16, X47] The user's own extensions that watch over tools, and those whose tools an agent was given, in each agent's session. */
export async function findGates(ctx: ExtensionContext): Promise<Pick<SessionHooks, "resources" | "opened">> {
  const pi = await loadPi();
  const trusted = ctx.isProjectTrusted();
  const { cwd, mode, ui } = ctx;
  const others = (await foundIn(ctx)).filter((extension) => !isOwn(extension));
  if (!others.some((extension) => isGate(extension) || extension.tools.size > 0)) return {};
  return {
    resources: async (bare, { tools }) => {
      const isWanted = (extension: Extension): boolean => isGate(extension) || brings(extension, tools);
      const named = others.filter(isWanted).map(({ resolvedPath }) => resolvedPath);
      if (named.length === 0) return bare;
      const loaded = await loadExtensions(pi, { cwd, trusted, only: true, named });
      const extensions = loaded.extensions.filter((each) => !isOwn(each) && isWanted(each)).map(onlyGate);
      return { ...bare, getExtensions: () => ({ ...loaded, extensions }) };
    },
    opened: async (session: AgentSession, { hold }) => {
      const asks = mode === "tui" || mode === "rpc";
      await session.bindExtensions({
        mode,
        ...(asks ? { uiContext: quietUi(ui, mode, hold) } : {}),
        onError: () => undefined,
      });
    },
  };
}

/** [X37] The user's extensions that watch over tools, by the names of their files. */
export async function gateNames(ctx: ExtensionContext): Promise<readonly string[]> {
  const found = await foundIn(ctx);
  return found.filter((each) => !isOwn(each) && isGate(each)).map(({ resolvedPath }) => basename(resolvedPath));
}

async function foundIn(ctx: ExtensionContext): Promise<readonly Extension[]> {
  const { cwd } = ctx;
  const wanted = { cwd, trusted: ctx.isProjectTrusted(), ...extensionsOf(process.argv) };
  return (await loadExtensions(await loadPi(), wanted)).extensions;
}

interface Wanted {
  readonly cwd: string;
  readonly trusted: boolean;
  /** Whether nothing but the named ones is loaded. */
  readonly only: boolean;
  readonly named: readonly string[];
}

async function loadExtensions(pi: Pi, { cwd, trusted, only, named }: Wanted): Promise<Loaded> {
  const agentDir = pi.getAgentDir();
  const loader = new pi.DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager: pi.SettingsManager.create(cwd, agentDir, { projectTrusted: trusted }),
    noExtensions: only,
    additionalExtensionPaths: [...named],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  await loader.reload();
  return loader.getExtensions();
}

/** Extensions given at Pi's start are known to nobody else. */
function extensionsOf(argv: readonly string[]): Pick<Wanted, "only" | "named"> {
  const named = argv.flatMap((word, at) => {
    const next = argv[at + 1];
    return (word === "-e" || word === "--extension") && next !== undefined ? [next] : [];
  });
  return { named, only: argv.includes("-ne") || argv.includes("--no-extensions") };
}

/** An agent must not start casts of its own, so this extension is never one of them. */
function isOwn({ commands }: Extension): boolean {
  return commands.has("materia");
}

/** [X47] Whether it has a tool that an agent was given by name. */
function brings({ tools }: Extension, wanted: readonly string[]): boolean {
  return wanted.some((tool) => tools.has(tool));
}

function isGate({ handlers, tools }: Extension): boolean {
  return handlers.has("tool_call") || handlers.has("tool_result") || KNOWN_TOOLS.some((tool) => tools.has(tool));
}

function onlyGate(extension: Extension): Extension {
  const handlers = new Map([...extension.handlers].filter(([name]) => KEPT_HANDLERS.has(name)));
  return { ...extension, handlers, commands: new Map(), shortcuts: new Map() };
}
