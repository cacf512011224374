import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Pi, PiContext } from "../pi/pi.ts";
import type { TurnRequest } from "../../ports.ts";
import type { ToolsUser } from "../../process/tools-user.ts";
import { openToolProcess } from "./tool-process.ts";

/** The tools of a turn, and an end to whatever they keep. */
export interface TurnTools {
  readonly tools: ToolDefinition[];
  readonly close: () => Promise<void>;
}

/** [B25] Pi's own tools with their names and words, carried out by a process of another user. */
export function toolsRunAsUser(user: ToolsUser, { pi, settings }: PiContext, { cwd, env, tools }: TurnRequest): TurnTools {
  const [commandPrefix, shellPath] = [settings.getShellCommandPrefix(), settings.getShellPath()];
  const shell = {
    exposeSessionEnvironment: false,
    ...(commandPrefix === undefined ? {} : { commandPrefix }),
    ...(shellPath === undefined ? {} : { shellPath }),
  };
  const beside = openToolProcess({ user, cwd, env, options: { bash: shell, powershell: shell } });
  const all = toolDefinitions(pi, cwd);
  return {
    close: beside.close,
    tools: all
      .filter(({ name }) => tools.includes(name))
      .map((tool) => ({
        ...tool,
        execute: async (_id, params, signal, onUpdate) =>
          // As the tool of the same name gives and takes them there.
          (await beside.call({ tool: tool.name, params, signal, onUpdate: onUpdate as never })) as never,
      })),
  };
}

function toolDefinitions(pi: Pi, cwd: string): readonly ToolDefinition[] {
  const made = [
    pi.createBashToolDefinition(cwd),
    pi.createReadToolDefinition(cwd),
    pi.createWriteToolDefinition(cwd),
    pi.createEditToolDefinition(cwd),
    pi.createLsToolDefinition(cwd),
    pi.createGrepToolDefinition(cwd),
    pi.createFindToolDefinition(cwd),
    pi.createPowerShellToolDefinition(cwd),
  ];
  return made as unknown as readonly ToolDefinition[]; // each of its own parameters, which only it reads
}
