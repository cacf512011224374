import { expect, it } from "vitest";
import { waitForCast } from "../../src/apps/cli/mcp/cast-results.ts";
import type { CastStatus } from "../../src/core/cast/summary.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { CastStore } from "../../src/shell/store/cast-store.ts";

const id = "cast" as CastId;

it("[MC2] a cast that looks interrupted while its owner changes is waited for", async () => {
  const statuses: CastStatus[] = ["interrupted", "running", "interrupted", "waiting"];
  const seen: string[] = [];
  let change = (): void => undefined;
  const store = {
    summary: async () => ({ status: statuses.shift() ?? "failed" }),
    owner: async () => undefined,
    onCastChange: (_castId: CastId, listener: () => void) => {
      change = listener;
      return () => undefined;
    },
    onOwnerChange: () => () => undefined,
  } as unknown as CastStore;
  const summary = await waitForCast(store, id, {
    ms: 2 ** 31 - 1,
    signal: new AbortController().signal,
    onChange: ({ status }) => {
      seen.push(status);
      setImmediate(change);
    },
  });
  expect([summary?.status, seen, statuses]).toEqual(["waiting", ["running"], []]);
});
