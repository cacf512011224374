import { assertNever } from "./values/never.ts";
import type { Materia, ToolScope } from "./materia.ts";

const READ_ONLY_TOOLS = ["read", "grep", "find", "ls"] as const;
const CODING_TOOLS = ["read", "bash", "edit", "write", "grep", "find", "ls"] as const;

/** Every tool that Pi itself brings. */
export const KNOWN_TOOLS: readonly string[] = [...CODING_TOOLS, "powershell"];

/** Whether a call of it may change a file; what is not known to only read is taken to. */
export function toolMayWrite(tool: string): boolean {
  return !READ_ONLY_TOOLS.some((name) => name === tool);
}

/** Whether a visit of it may change a file: an agent with such a tool, and any program. */
export function materiaMayWrite(materia: Materia): boolean {
  return materia.type === "utility" || (materia.type === "agent" && toolsInScope(materia.tools).some(toolMayWrite));
}

/** [A5] The tools that a scope stands for; `coding` has all of `readOnly`, so that widening a scope takes nothing away. */
export function toolsInScope(scope: ToolScope): readonly string[] {
  if (typeof scope === "object") return [...new Set(scope.tools)];
  switch (scope) {
    case "none":
      return [];
    case "readOnly":
      return READ_ONLY_TOOLS;
    case "coding":
      return CODING_TOOLS;
    default:
      return assertNever(scope);
  }
}
