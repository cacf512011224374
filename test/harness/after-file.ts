import { afterAll } from "vitest";

const pending: (() => unknown)[] = [];

/** Runs this at the end of the current test file. A hook at the top of a module runs for one file only: the next files find the module loaded. */
export function afterFile(clean: () => unknown): void {
  pending.push(clean);
}

/** Called by the setup file, which every test file runs. */
export function runAfterFile(): void {
  afterAll(async () => {
    for (const clean of pending.splice(0).toReversed()) await clean();
  });
}
