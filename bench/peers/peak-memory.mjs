import { readFileSync } from "node:fs";

/**
 * The most memory that this process has had, in kilobytes. What `resourceUsage` says begins with what its parent had when
 * it was started, so that a program begun by a large one seems to be large itself.
 */
export function peakKilobytes() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
