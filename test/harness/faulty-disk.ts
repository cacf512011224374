import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

type Calls = typeof fs;

/** Until the test is over, or the answer is called, these calls of the system are others. */
export function withCalls(made: (real: Calls) => Partial<Calls>): () => void {
  const others = made({ ...fs });
  const real = Object.fromEntries(Object.keys(others).map((name) => [name, fs[name as keyof Calls]])); // made of them
  const put = (calls: object): void => {
    Object.assign(fs, calls);
    syncBuiltinESMExports();
  };
  put(others);
  const restore = (): void => put(real);
  onTestFinished(restore);
  return restore;
}

export function fullDisk(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
}

/** How many files below a folder this process has open, where the system tells. */
export function openFiles(folder: string): number {
  const links = fs.readdirSync("/proc/self/fd").map((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The one that the list itself was read by.
      return "";
    }
  });
  return links.filter((link) => link.startsWith(folder)).length;
}
