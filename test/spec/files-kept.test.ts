import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { next, startedEvent } from "../../src/core/cast/next.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { deepFreeze } from "../harness/deep-freeze.ts";
import { play, startOf } from "../harness/play.ts";
import { items, workshop } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const config = workshop({ materia: { Build: { prompt: "Build.", tools: "coding" } } });
const says = { Plan: [items("a", "b")], Eval: [{ satisfied: true }] };
const { events: bare } = await play(config, { says });
const start = initialState(startOf(config));
const changed = { changed: 1, added: 1, removed: 0 };

/** The same cast with checkpoints: one at its beginning, and one behind every visit of Build. */
const kept = bare.map((event) => {
  if (event.type === "cast_started") return { ...event, files: { commit: "begin" } };
  if (event.type !== "visit_completed" || event.socket !== "Socket-2") return event;
  return { ...event, files: { commit: `build ${event.visit}`, ...changed } };
});

/** The cast up to the first event that suits, that one included or not. */
function upTo(suits: (event: CastEvent) => boolean, more = 1): CastState {
  return kept.slice(0, kept.findIndex(suits) + more).reduce(apply, start);
}

function put(state: CastState, body: object): CastState {
  return apply(state, { ...body, seq: state.seq + 1, at: "2026-01-01T00:00:00.000Z" } as CastEvent); // a whole event of its type
}

const of =
  (type: CastEvent["type"], socket?: string, visit = 1) =>
  (event: CastEvent) =>
    event.type === type &&
    (socket === undefined || ("visit" in event && event.socket === socket && event.visit === visit));

it("[Y13] the state has the checkpoints of the cast, the visit, the item, and the last one", () => {
  const all = (commit: string) => ({ base: "begin", last: commit, visit: commit, item: commit, meanwhile: [] });
  expect(upTo(of("cast_started")).files).toEqual(all("begin"));
  const first = upTo(of("visit_completed", "Socket-2", 1));
  expect(first.files).toEqual({ ...all("begin"), last: "build 1" });
  expect(upTo(of("visit_started", "Socket-3", 1)).files).toEqual({ ...all("build 1"), item: "begin" });
  expect(upTo(of("cursor_advanced")).files).toEqual(all("build 1"));
  expect(upTo(of("visit_completed", "Socket-2", 2)).files).toEqual({ ...all("build 1"), last: "build 2" });
  expect(kept.reduce(apply, start).files).toEqual({ ...all("build 2"), item: "build 2" });
});

it.each([
  ["there were none", undefined],
  ["there could be none", { problem: "there is no git repository" }],
])("[Y3] nothing is kept where %s", (_why, files) => {
  const [first, ...others] = bare;
  const events = [{ ...first, ...(files ? { files } : {}) } as CastEvent, ...others]; // the first event, with what is known of files
  expect(events.reduce(apply, start).files).toBe(null);
});

it("[Y4] a visit whose files could not be kept leaves the last checkpoint as it was", () => {
  const before = upTo(of("visit_completed", "Socket-2", 1), 0);
  const event = { type: "visit_completed", socket: "Socket-2", visit: 1, usage: { input: 0, output: 0, cost: 0 } };
  const totals = { visits: 2, turns: 2, itemsDone: 0, items: 2, tokens: 0, cost: 0 };
  expect(put(before, { ...event, totals, files: { problem: "gone" } }).files).toMatchObject({ last: "begin" });
});

it("[Y5] only a visit that can write is looked at, before it is over", () => {
  const built = upTo(of("visit_completed", "Socket-2", 1), 0);
  expect(next(built)).toMatchObject({ kind: "checkpoint", socket: { id: "Socket-2" }, visit: { number: 1 } });
  expect(next({ ...built, files: null })).toMatchObject({ kind: "record", events: [{ type: "visit_completed" }] });
  const judged = upTo(of("visit_completed", "Socket-3", 1), 0);
  expect(next(judged)).toMatchObject({ kind: "record", events: [{ type: "visit_completed" }] });
});

it("[Y5] a checkpoint in the middle of a turn is the last one, and the visit began where it began", () => {
  const before = deepFreeze(upTo(of("visit_started", "Socket-2", 1)));
  const files = { commit: "half", ...changed };
  const taken = put(before, { type: "checkpoint_taken", socket: "Socket-2", visit: 1, files });
  expect(taken.files).toEqual({ base: "begin", last: "half", visit: "begin", item: "begin", meanwhile: [] });
  expect(taken.phase).toEqual(before.phase);
});

it("[Y6] changes by others are reported until the current visit has ended", () => {
  const before = upTo(of("visit_started", "Socket-2", 1));
  const files = { commit: "by hand", ...changed, names: ["mine.txt"] };
  const resumed = put(before, { type: "cast_resumed", by: "recast", files });
  expect(resumed.files).toMatchObject({ last: "by hand", visit: "begin", meanwhile: ["mine.txt"] });
  expect(put(before, { type: "cast_resumed", by: "recast" }).files).toEqual(before.files);
  const over = kept.slice(
    kept.findIndex(of("visit_started", "Socket-2", 1)) + 1,
    kept.findIndex(of("visit_completed", "Socket-2", 1)) + 1,
  );
  const done = over.reduce((state, { seq: _seq, at: _at, ...body }) => put(state, body), resumed);
  expect(done.files).toMatchObject({ last: "build 1", meanwhile: [] });
});

it("[Y13, J5] cast_started has the first checkpoint, and marks a rehearsal", () => {
  expect(startedEvent(start)).not.toHaveProperty("files");
  expect(startedEvent(start)).not.toHaveProperty("rehearsed");
  expect(startedEvent({ ...start, rehearsed: true }, { commit: "begin" })).toMatchObject({
    files: { commit: "begin" },
    rehearsed: true,
  });
});
