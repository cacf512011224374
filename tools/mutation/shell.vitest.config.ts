import { defineConfig } from "vitest/config";

/** The tests of the loop, of programs and of the store, without those that start Pi or a browser. */
export default defineConfig({
  test: {
    include: ["test/spec/**/*.test.ts", "test/files/**/*.test.ts", "test/contract/{store,utility}*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
