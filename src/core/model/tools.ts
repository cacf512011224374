import { never } from "./values/never.ts";
import type { Materia, ToolScope } from "./materia.ts";

const READ_ONLY = ["read", "grep", "find", "ls"] as const;
const CODING = ["read", "bash", "edit", "write", "grep", "find", "ls"] as const;

/** Every tool that Pi itself brings. */
export const KNOWN_TOOLS: readonly string[] = [...CODING, "powershell"];

/** Whether a call of it may change a file; what is not known to only read is taken to. */
export function mayWrite(tool: string): boolean {
  return !READ_ONLY.some((name) => name === tool);
}

/** Whether a visit of it may change a file: an agent with such a tool, and any program. */
export function canWrite(materia: Materia): boolean {
  return materia.type === "utility" || (materia.type === "agent" && toolsOf(materia.tools).some(mayWrite));
}

/** [A5] The tools that a scope stands for; `coding` has all of `readOnly`, so that widening a scope takes nothing away. */
export function toolsOf(scope: ToolScope): readonly string[] {
  if (typeof scope === "object") return [...new Set(scope.tools)];
  switch (scope) {
    case "none":
      return [];
    case "readOnly":
      return READ_ONLY;
    case "coding":
      return CODING;
    default:
      return never(scope);
  }
}
