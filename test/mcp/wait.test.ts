import { expect, it } from "vitest";
import { waitForCast } from "../../src/apps/cli/mcp/cast-results.ts";
import { taskState } from "../../src/apps/cli/mcp/tasks.ts";
import type { CastStatus } from "../../src/core/cast/summary.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { CastStore } from "../../src/shell/store/cast-store.ts";

const id = "cast" as CastId;

/** What a client sees while a cast is read with these statuses and owners, one after the other. */
async function waited(statuses: CastStatus[], owners: ("owned" | undefined)[] = []) {
  const seen: string[] = [];
  let change = (): void => undefined;
  const store = {
    summary: async () => ({ status: statuses.shift() ?? "failed" }),
    owner: async () => owners.shift(),
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
  return { end: summary?.status, seen, left: [statuses, owners] };
}

it("[MC2] a cast that looks interrupted while its owner changes is waited for", async () => {
  const end = await waited(["interrupted", "running", "interrupted", "waiting"]);
  expect(end).toEqual({ end: "waiting", seen: ["running"], left: [[], []] });
});

it("[MC2] after its end the process of a cast is waited for, so that the next cast is not refused", async () => {
  const end = await waited(["completed", "completed"], ["owned", undefined]);
  expect(end).toEqual({ end: "completed", seen: ["completed"], left: [[], []] });
});

it("[MC7] a task works until the process of its cast has gone, so that the next cast is not refused", async () => {
  const owners = ["owned", undefined];
  const store = {
    summary: async () => ({ status: "completed", startedAt: "", endedAt: "" }),
    owner: async () => owners.shift(),
  } as unknown as CastStore;
  const seen = [await taskState(store, id), await taskState(store, id)];
  expect(seen.map(({ status }) => status)).toEqual(["working", "completed"]);
});
