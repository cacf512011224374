import type { Issue } from "../../core/model/issue.ts";
import { harmless } from "../../core/model/text.ts";
import { styled } from "./io.ts";
import type { Io } from "./io.ts";

/** Every problem: what, where, and the way out. */
export function printIssues(io: Io, issues: readonly Issue[], write: (text: string) => void = io.err): void {
  for (const issue of issues) write(`${issueText(io, issue)}\n`);
}

function issueText(io: Io, { severity, code, file, path, message, hint }: Issue): string {
  const label = severity === "error" ? styled(io, ["bold", "red"], "error") : styled(io, ["bold", "yellow"], "warning");
  const place = [file, path].filter((part) => part !== undefined && part !== "").map((part) => harmless(part ?? ""));
  const lines = [`${label} ${styled(io, "dim", code)}: ${harmless(message)}`];
  if (place.length > 0) lines.push(`  ${styled(io, "dim", `at ${place.join(": ")}`)}`);
  if (hint !== undefined) lines.push(`  ${styled(io, "cyan", `→ ${harmless(hint)}`)}`);
  return lines.join("\n");
}

/** [C19] The shape that scripts read. */
export function issueJson({ severity, code, file, path, message, hint }: Issue): unknown {
  return { severity, code, file: file ?? null, path, message, hint: hint ?? null };
}
