import { chmodSync, existsSync, lchownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { checkToolsCanRun } from "../../agents/tool-process.ts";
import { withUmask } from "../../system/folders.ts";
import { findToolsUser, currentToolsUser, GIT_GROUP, setOwnFolders, setToolsUser } from "../../process/tools-user.ts";

/** [B25, B65] Runs tools as this user from now on. Fails here if that is impossible, not in the middle of a cast. */
export async function enableToolsUser(name: string, concurrency: number): Promise<Result<undefined>> {
  if (concurrency > 1) {
    const hint = "start one worker for each user, without --concurrency";
    return failWith("bad_option", "--concurrency", "casts that run at once as one user could reach each other", hint);
  }
  const user = findToolsUser(name);
  if (!user.ok) return user;
  const problem = await checkToolsCanRun({ user: user.value });
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
  // With parents that the user can pass, independent of the umask of this process.
  withUmask(0o066, () => mkdirSync(folder, { recursive: true }));
  for (const [name, mode] of [
    ["", 0o711],
    ["trees", 0o711],
    // Each repository in it has a name that only its casts learn.
    ["repositories", 0o711],
    ["git", 0o711],
    ["casts", 0o700],
    ["results", 0o700],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    chmodSync(join(folder, name), mode);
  }
  setOwnFolders([join(folder, "repositories"), join(folder, "results")], join(folder, "git"));
}

/** [B78] A folder that only this process and its git can enter. */
export function lockTreeFolder(tree: string): void {
  if (!currentToolsUser() || !existsSync(tree)) return;
  lchownSync(tree, 0, GIT_GROUP);
  chmodSync(tree, 0o770);
}

/** Changes the owner of a tree that the user cannot enter yet; of links themselves, not of their targets. */
export function chownToToolsUser(tree: string): void {
  const user = currentToolsUser();
  if (!user) return;
  const give = (path: string): void => lchownSync(path, user.uid, user.gid);
  give(tree);
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true }))
    give(join(entry.parentPath, entry.name));
}
