import { relative } from "node:path";
import { findNodeAtLocation, parseTree } from "jsonc-parser";
import type { Issue, KeyPath } from "../../core/model/issue.ts";
import type { ReviewProblem } from "../../core/view/issues.ts";
import { MAX_FILE_BYTES, readRegularText, valueOr } from "../system/files.ts";

/** [C56] Issues with the lines at which they are, in files below a folder. */
export function issueFindings(issues: readonly Issue[], folder: string): readonly ReviewProblem[] {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? valueOr(() => readRegularText(file, MAX_FILE_BYTES.config), "");
    texts.set(file, text);
    return text;
  };
  return issues.map(({ severity, code, message, hint, file, path }) => ({
    severity,
    code,
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(file === undefined ? {} : { file: relative(folder, file), line: lineOfPath(textOf(file), path) }),
  }));
}

/** The line of a key path; that of its nearest parent if the key is missing. */
function lineOfPath(text: string, path: KeyPath): number {
  const tree = text === "" ? undefined : parseTree(text);
  if (!tree) return 1;
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return text.slice(0, (node.parent?.type === "property" ? node.parent : node).offset).split("\n").length;
  }
  return 1;
}
