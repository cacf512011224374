import { defineConfig } from "vitest/config";

/**
 * The tests of what the core decides: a fault is tried thousands of times, so nothing here starts a process. The interpreter
 * is left out for the same reason: its casts take ten seconds each time, and what only they notice counts as unnoticed.
 */
export default defineConfig({
  test: {
    include: ["test/spec/**/*.test.ts", "test/link/{compose,grammar}.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
