import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { hostname } from "node:os";
import * as v from "valibot";
import { wholeNumber } from "../../core/model/number.ts";

/** A process that can be told from any other. A pid alone may belong to another one by now; its start time tells them apart. */
export const Owner = v.object({
  pid: wholeNumber(1),
  startedAt: v.string(),
  host: v.string(),
});
export type Owner = v.InferOutput<typeof Owner>;

export function thisProcess(): Owner {
  return processOf(process.pid);
}

export function processOf(pid: number): Owner {
  return { pid, startedAt: startTimeOf(pid) ?? "", host: hostname() };
}

/** Whether it can be looked at from here at all. */
export function isOfThisHost(owner: Owner): boolean {
  return owner.host === hostname();
}

export function isAlive(owner: Owner): boolean {
  if (!isOfThisHost(owner)) return false;
  const startedAt = startTimeOf(owner.pid);
  return startedAt !== undefined && startedAt === owner.startedAt;
}

/** When a process began, in the system's own measure; undefined when there is no such process. */
function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") return linuxStartTime(pid);
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // Without the right to signal it, it is still there.
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EPERM")) return undefined;
  }
  if (process.platform === "win32") return "";
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

function linuxStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; the fields are counted behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isZombie = fields[0] === "Z" || fields[0] === "X";
    return isZombie ? undefined : `${bootId()}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

function bootId(): string {
  boot ??= readBootId();
  return boot;
}

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
