import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** What is written to the file behind standard output or standard error from now on. */
export function standardOutput(file: 1 | 2 = 1): () => string {
  let text = "";
  const real = fs.writeSync;
  const write = (descriptor: number, data: Buffer, from: number): number => {
    if (descriptor !== file) return real(descriptor, data, from);
    text += data.subarray(from).toString();
    return data.length - from;
  };
  put(write);
  onTestFinished(() => put(real));
  return () => text;
}

function put(next: unknown): void {
  Object.assign(fs, { writeSync: next });
  syncBuiltinESMExports();
}
