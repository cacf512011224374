import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { failWith } from "../../src/core/model/issue.ts";
import { planCast, startCast } from "../../src/shell/casting/start-cast.ts";
import { createOwnCastRegistry } from "../../src/shell/config/own-casts.ts";
import { compiled } from "../harness/play.ts";
import { graph, seat } from "../harness/seats.ts";
import { memoryStore } from "../harness/store/memory-store.ts";

const file = { castId: "20260101-000000-abcdef", request: "mine" };
const other = { ...file, request: "planted" };

function home(): Readonly<Record<string, string>> {
  return { HOME: mkdtempSync(join(tmpdir(), "materia-own-")) };
}

/** A listed cast that counts how often it is read. */
function listed(content: typeof file, stamp: string) {
  const seen = { reads: 0 };
  const read = async () => {
    seen.reads += 1;
    return content;
  };
  return { seen, cast: { castId: content.castId, stamp: async () => stamp, read } };
}

it("[S11] a listing reads nothing of an own cast that stands as it was recorded, nor of one without a mark", async () => {
  const own = createOwnCastRegistry(home());
  own.record(file, "1 2 3");
  const [same, stranger] = [listed(file, "1 2 3"), listed({ ...file, castId: "20260101-000000-zzzzzz" }, "4 5 6")];
  expect([await own.ownsListed(same.cast), await own.ownsListed(stranger.cast)]).toEqual([true, false]);
  expect([same.seen.reads, stranger.seen.reads]).toEqual([0, 0]);
});

it("[S11] one that was moved is read once, and then no more", async () => {
  const own = createOwnCastRegistry(home());
  own.record(file, "1 2 3");
  const moved = listed(file, "7 8 9");
  expect([await own.ownsListed(moved.cast), await own.ownsListed(moved.cast), moved.seen.reads]).toEqual([
    true,
    true,
    1,
  ]);
});

it("[S10] another content under the id of an own cast is foreign, and takes nothing from that one", async () => {
  const own = createOwnCastRegistry(home());
  own.record(file, "1 2 3");
  const planted = listed(other, "4 5 6");
  expect([await own.ownsListed(planted.cast), own.owns(other), own.owns(file)]).toEqual([false, false, true]);
  own.record(other, "4 5 6");
  expect([own.owns(other), own.owns(file), await own.ownsListed(planted.cast)]).toEqual([true, true, true]);
});

it("[S10] a cast has its mark before it exists, and none when it could not be created", async () => {
  const env = home();
  const own = createOwnCastRegistry(env);
  const { file: planned } = planCast(compiled(graph({ "Socket-1": seat("Tell") })).graph, {
    request: "do it",
    cwd: "/project",
  });
  const seen: boolean[] = [];
  const { store } = memoryStore();
  const refusing: typeof store = {
    ...store,
    create: async ({ file: created }) => {
      seen.push(own.owns(created));
      return failWith("write_failed", "artifactDir", "no room");
    },
  };
  const signal = new AbortController().signal;
  const host = { preflight: async () => [], runTurn: () => Promise.reject(new Error("not reached")) };
  await startCast({ file: planned }, { store: refusing, host, signal, env });
  expect([...seen, own.owns(planned)]).toEqual([true, false]);
});
