import { readFileSync } from "node:fs";
import { failWith, ok, type Result } from "../../core/model/issue.ts";

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

/** Spawn options for that user; of this process's environment only PATH. */
export function spawnOptionsFor({ name, uid, gid, home }: ToolsUser): {
  readonly uid: number;
  readonly gid: number;
  readonly env: Readonly<Record<string, string>>;
} {
  const kept = ["PATH", "LANG"].flatMap((each) => {
    const value = process.env[each];
    return value === undefined ? [] : [[each, value]];
  });
  return { uid, gid, env: { ...Object.fromEntries(kept), HOME: home, USER: name, LOGNAME: name } };
}

/** [B65] The user of this name, if this process may start programs as that user. */
export function findToolsUser(name: string): Result<ToolsUser> {
  const at = "--tools-user";
  if (process.getuid?.() !== 0)
    return failWith(
      "command_unavailable",
      at,
      "only root may run tools as another user",
      "start the worker as root, or without it",
    );
  const [, , uid = "", gid = "", , home = "/"] =
    readPasswdFile()
      .split("\n")
      .map((line) => line.split(":"))
      .find(([known]) => known === name) ?? [];
  if (!/^\d+$/.test(uid) || !/^\d+$/.test(gid))
    return failWith("unknown_user", at, `/etc/passwd has no user "${name}"`, "make one for the tools of agents alone");
  if (Number(uid) === 0)
    return failWith("unknown_user", at, `"${name}" is root`, "make a user for the tools of agents alone");
  return ok({ name, uid: Number(uid), gid: Number(gid), home });
}

function readPasswdFile(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}
