import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/scratch-folder.ts",
    // Most tests wait for a process of their own, so that one worker per core leaves the cores idle.
    maxWorkers: 3,
    // A guard against what hangs, never a measure: a busy machine is slow, not wrong.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
