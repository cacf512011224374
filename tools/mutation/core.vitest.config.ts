import { defineConfig } from "vitest/config";

/** The tests of what the core decides: a fault is tried thousands of times, so nothing here starts a process. */
export default defineConfig({
  test: {
    include: ["test/spec/**/*.test.ts", "test/link/{compose,grammar}.test.ts", "test/interpreter/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
