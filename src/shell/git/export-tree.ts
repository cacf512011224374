import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { errorText } from "../system/problem.ts";
import type { Repository } from "./repository.ts";
import { gitErrorText } from "./run-git.ts";
import { openEmptyShadow } from "./shadow.ts";

/** The files of a commit in a plain folder, without a repository of its own; the answer is a sentence where that failed. */
export async function exportTree(repository: Repository, commit: string, folder: string): Promise<string | undefined> {
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) return `there is something in ${folder} already`;
    mkdirSync(folder, { recursive: true });
    const shadow = await openEmptyShadow(repository, folder);
    try {
      const filled = await shadow.git(["read-tree", "--reset", "-u", commit]);
      return filled.ok ? undefined : gitErrorText(filled);
    } finally {
      shadow.close();
    }
  } catch (thrown) {
    return errorText(thrown);
  }
}
