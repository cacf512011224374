import { pathText, type Issue } from "../model/issue.ts";
import { sanitizeForTerminal } from "../model/values/text.ts";
import { line, toned, type Line } from "./text/line.ts";

/** Every problem: what, where, and the way out. Where the place they stand in says `Error` already, `withMergeMark` is false. */
export function issueLines(issues: readonly Issue[], marked = true): readonly Line[] {
  return issues.flatMap(({ severity, code, file, path, message, hint }) => {
    const label = toned(severity === "error" ? "bad" : severity === "info" ? "dim" : "rework", severity);
    const place = [file ?? "", pathText(path)].filter((part) => part !== "").map(sanitizeForTerminal);
    return [
      line(...(marked || severity !== "error" ? [label, " "] : []), toned("dim", code), `: ${sanitizeForTerminal(message)}`),
      ...(place.length > 0 ? [line("  ", toned("dim", `at ${place.join(": ")}`))] : []),
      ...(hint === undefined ? [] : [line("  ", toned("accent", `→ ${sanitizeForTerminal(hint)}`))]),
    ];
  });
}

/** [C19] The shape that scripts read. */
export function issueJson({ severity, code, file, path, message, hint }: Issue) {
  return { severity, code, file: file ?? null, path: pathText(path), message, hint: hint ?? null };
}
