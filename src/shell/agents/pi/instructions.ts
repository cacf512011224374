import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { truncate } from "../../../core/model/values/text.ts";
import type { TurnRequest } from "../../ports.ts";
import { currentToolsUser } from "../../process/tools-user.ts";
import type { Pi } from "./pi.ts";

/** [A24] How much of all instructions together an agent is told. */
const MAX_INSTRUCTION_CHARS = 40_000;

/** [A24] What an agent is told before its task: what the folder it works in says to everybody, then its own role. */
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

/** [B25] What tools of another user laid there as a link would be read with the rights of this one. */
function isNotLink(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
