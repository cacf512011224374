import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { castLayout } from "../../src/shell/store/layout.ts";
import { scratchFolder } from "../harness/agents.ts";
import { memoryStore } from "../harness/store/memory-store.ts";
import type { StoreUnderTest } from "../harness/store/store-casts.ts";
import { storeContract } from "../harness/store/store-contract.ts";

const storedInFiles = (): StoreUnderTest => {
  const root = join(scratchFolder(), "casts");
  return {
    store: fileStore(root),
    // As if its process were dead: the lock has gone with it.
    giveUp: (castId) => {
      const { owner, lock, claim } = castLayout(root, castId);
      rmSync(lock);
      const last = readdirSync(owner).filter((name) => /^\d+\.json$/.test(name)).length;
      writeFileSync(claim(last), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "gone", host: hostname() }));
    },
  };
};

describe("casts in files", () => {
  storeContract(storedInFiles);
});

describe("casts in memory", () => {
  storeContract(memoryStore);
});
