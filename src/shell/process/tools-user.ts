import { constants, fstatSync, openSync, readFileSync } from "node:fs";
import { randomInt } from "node:crypto";
import { resolve, sep } from "node:path";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { valueOr, withFile } from "../system/files.ts";

/** [B25] The user of this machine that runs tools and programs of casts. */
export interface ToolsUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

let configuredUser: ToolsUser | undefined;

/** From now on all tools and programs that this process starts for casts run as that user. */
export function setToolsUser(user: ToolsUser): void {
  configuredUser = user;
}

export function currentToolsUser(): ToolsUser | undefined {
  return configuredUser;
}

/** [B86] A group without members: it lets git of this process, and no program of a cast, into closed folders. */
export const GIT_GROUP = randomInt(65_000, 65_534);

let ownFolders: readonly string[] = [];
let privateFolder: string | undefined;

/** [B86] Folders that only this process writes. Git runs with the rights of this process there, and nowhere else. */
export function setOwnFolders(folders: readonly string[], ofGit: string): void {
  ownFolders = folders.map((folder) => resolve(folder) + sep);
  privateFolder = ofGit;
}

/** [B86] Where git of another user finds files of this process; the user can reach it. */
export function gitFolder(): string | undefined {
  return privateFolder;
}

/** [B86] The user that runs git in a folder, if it is another one: agents may have written what git reads there. */
export function gitUserFor(folder: string): ToolsUser | undefined {
  return ownFolders.some((own) => resolve(folder).startsWith(own)) ? undefined : configuredUser;
}

/** [B86] Spawn options of git for that user, with no configuration that programs of casts could have written. */
export function gitOptionsFor(user: ToolsUser): ReturnType<typeof spawnOptionsFor> {
  const { uid, env } = spawnOptionsFor(user);
  return { uid, gid: GIT_GROUP, env: { ...env, HOME: "/nonexistent", GIT_CONFIG_GLOBAL: "/dev/null" } };
}

/** [B86] Reads a file that belongs to the user, if one is given: a link could lead to a file that only root may read. */
export function readFileOf(user: ToolsUser | undefined, file: string) {
  return withFile(openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), (opened) => {
    const stats = fstatSync(opened);
    if (!stats.isFile() || (user && stats.uid !== user.uid)) throw new Error(`${file} is no file of ${user?.name}`);
    return { bytes: readFileSync(opened), stats };
  });
}

/** Spawn options for that user; of this process's environment only PATH. */
export function spawnOptionsFor({ name, uid, gid, home }: ToolsUser): {
  readonly uid: number;
  readonly gid: number;
  readonly env: Readonly<Record<string, string>>;
} {
  const { PATH, LANG } = process.env;
  return { uid, gid, env: { ...withoutUndefined({ PATH, LANG }), HOME: home, USER: name, LOGNAME: name } };
}

/** [B65] The user of this name, if this process may start programs as that user. */
export function findToolsUser(name: string): Result<ToolsUser> {
  const at = "--tools-user";
  if (process.getuid?.() !== 0) {
    const hint = "start the worker as root, or without it";
    return failWith("command_unavailable", at, "only root may run tools as another user", hint);
  }
  const [, , uid = "", gid = "", , home = "/"] =
    valueOr(() => readFileSync("/etc/passwd", "utf8"), "")
      .split("\n")
      .map((line) => line.split(":"))
      .find(([known]) => known === name) ?? [];
  if (!/^\d+$/.test(uid) || !/^\d+$/.test(gid))
    return failWith("unknown_user", at, `/etc/passwd has no user "${name}"`, "make one for the tools of agents alone");
  if (Number(uid) === 0)
    return failWith("unknown_user", at, `"${name}" is root`, "make a user for the tools of agents alone");
  return ok({ name, uid: Number(uid), gid: Number(gid), home });
}
