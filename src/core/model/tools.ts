import { never } from "./values/never.ts";
import type { ToolScope } from "./materia.ts";

const READ_ONLY = ["read", "grep", "find", "ls"] as const;
const CODING = ["read", "bash", "edit", "write", "grep", "find", "ls"] as const;

/** Every tool that Pi itself brings. */
export const KNOWN_TOOLS: readonly string[] = [...CODING, "powershell"];

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
