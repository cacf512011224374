import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { error, failAll, ok, type Result } from "../../model/issue.ts";

/** JSON with comments and trailing commas: its value and where everything stands, or every fault with its line. */
export function parseJsonc(text: string): Result<{ readonly value: unknown; readonly tree: Node }> {
  const faults: ParseError[] = [];
  const tree = parseTree(text, faults, { allowTrailingComma: true });
  if (tree && faults.length === 0) return ok({ value: valueOf(tree), tree });
  if (faults.length === 0)
    return failAll([error("bad_json", "line 1, column 1", "there is nothing here", "begin with { }")]);
  return failAll(
    faults.slice(0, 10).map(({ offset, error: code }) => {
      const { line, column } = lineAndColumnAt(text, offset);
      const words = printParseErrorCode(code)
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase();
      return error(
        "bad_json",
        `line ${line}, column ${column}`,
        `this is not JSON at line ${line}, column ${column}: ${words}`,
      );
    }),
  );
}

function lineAndColumnAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** Built key by key: an assignment to `__proto__` would change the object itself. */
function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).flatMap((property): [string, unknown][] => {
      const [key, value] = property.children ?? [];
      return key && value ? [[String(key.value), valueOf(value)]] : [];
    }),
  );
}

/** The white space that the line of a place begins with. */
export function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
