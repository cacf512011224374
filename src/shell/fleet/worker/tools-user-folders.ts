import { chmodSync, lchownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { checkToolsUser } from "../../agents/tool-process.ts";
import { findToolsUser, currentToolsUser, setToolsUser } from "../../process/tools-user.ts";

/** [B25, B65] Runs tools as this user from now on. Fails here if that is impossible, not in the middle of a cast. */
export async function enableToolsUser(name: string): Promise<Result<undefined>> {
  const user = findToolsUser(name);
  if (!user.ok) return user;
  const problem = await checkToolsUser(user.value);
  if (problem !== undefined) {
    const message = `${name} cannot run the tools of agents: ${problem}`;
    return failWith("command_unavailable", "--tools-user", message, "let that user read Node and pi-materia");
  }
  setToolsUser(user.value);
  return ok(undefined);
}

/** Folders that another user can pass through, with subfolders that only one of the two may read. */
export function createWorkerFolders(folder: string): void {
  if (!currentToolsUser()) return;
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  for (const [name, mode] of [
    ["", 0o711],
    ["trees", 0o711],
    ["repositories", 0o755],
    ["casts", 0o700],
    ["results", 0o700],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    // Independent of the umask of this process.
    chmodSync(join(folder, name), mode);
  }
}

/** Changes the owner of a tree; of links themselves, not of their targets. */
export function chownToToolsUser(tree: string): void {
  const user = currentToolsUser();
  if (!user) return;
  const give = (path: string): void => lchownSync(path, user.uid, user.gid);
  give(tree);
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true }))
    give(join(entry.parentPath, entry.name));
}
