import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { hostname } from "node:os";
import * as v from "valibot";
import { withoutUndefined } from "../../core/model/json.ts";
import { wholeNumber } from "../../core/model/schemas.ts";
import { hasErrorCode, valueOr } from "../system/files.ts";

/** Identifies a process. A pid may be reused, so the start time is part of it. */
export const ProcessIdentity = v.object({
  pid: wholeNumber(1),
  startedAt: v.string(),
  /** For people only: a host may be renamed, and two hosts may share a name. */
  host: v.string(),
  /** The boot of the system and the pid namespace to which the pid belongs. */
  boot: v.optional(v.string()),
  namespace: v.optional(v.string()),
});
export type ProcessIdentity = v.InferOutput<typeof ProcessIdentity>;

export function thisProcess(): ProcessIdentity {
  return identifyProcess(process.pid);
}

export function identifyProcess(pid: number): ProcessIdentity {
  const system = withoutUndefined({ boot: bootId() || undefined, namespace: pidNamespace() || undefined });
  return { pid, startedAt: startTimeOf(pid) ?? "", host: hostname(), ...system };
}

/** What this process can see of another; `unseen` means that its liveness is unknown. */
export type ProcessLiveness = "alive" | "gone" | "unseen";

export function livenessOf(owner: ProcessIdentity): ProcessLiveness {
  if (isFromThisBoot(owner)) {
    if (owner.namespace !== undefined && owner.namespace !== pidNamespace()) return "unseen";
    return startTimeOf(owner.pid) === owner.startedAt ? "alive" : "gone";
  }
  if (owner.host !== hostname()) return "unseen";
  // Another boot of the same host: its processes are gone.
  if (owner.boot !== undefined && bootId() !== "") return "gone";
  return startTimeOf(owner.pid) === owner.startedAt ? "alive" : "gone";
}

export function isAlive(owner: ProcessIdentity): boolean {
  return livenessOf(owner) === "alive";
}

/** Whether it belongs to the present boot of this host, under any host name. */
export function isFromThisBoot(owner: ProcessIdentity): boolean {
  return bootId() !== "" && owner.boot === bootId();
}

/** The start time of a process in the system's unit; undefined if there is no such process. */
function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") return linuxStartTime(pid);
  if (!processExists(pid)) return undefined;
  if (process.platform === "win32") return "";
  return valueOr(
    () => execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim(),
    undefined,
  );
}

export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // It may belong to another user.
    return hasErrorCode(thrown, "EPERM");
  }
}

/** What Linux says of a process, from its state on; nothing if it is gone. */
export function procFields(pid: number | string): readonly string[] {
  const file = `/proc/${pid}/stat`;
  // An error costs far more than a look, and a listing asks for thousands of dead processes.
  const stat = existsSync(file) ? valueOr(() => readFileSync(file, "utf8"), undefined) : undefined;
  // The name in parentheses may contain spaces: count fields after it.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
}

function linuxStartTime(pid: number): string | undefined {
  const [state, ...fields] = procFields(pid);
  return state === undefined || state === "Z" || state === "X" ? undefined : `${bootId()}-${fields[18]}`;
}

/** Only Linux has these. */
let cachedBootId: string | undefined;
let cachedNamespace: string | undefined;

function bootId(): string {
  cachedBootId ??= valueOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), "");
  return cachedBootId;
}

function pidNamespace(): string {
  cachedNamespace ??= valueOr(() => readlinkSync("/proc/self/ns/pid"), "");
  return cachedNamespace;
}
