import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { problemText } from "../system/problem.ts";
import type { Repository } from "./repository.ts";
import { complaintOf } from "./run-git.ts";
import { emptyShadow } from "./shadow.ts";

/** The files of a commit in a plain folder, without a repository of its own; the answer is a sentence where that failed. */
export async function exportTree(repository: Repository, commit: string, folder: string): Promise<string | undefined> {
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) return `there is something in ${folder} already`;
    mkdirSync(folder, { recursive: true });
    const shadow = await emptyShadow(repository, folder);
    try {
      const filled = await shadow.git(["read-tree", "--reset", "-u", commit]);
      return filled.ok ? undefined : complaintOf(filled);
    } finally {
      shadow.close();
    }
  } catch (thrown) {
    return problemText(thrown);
  }
}
