import { expect, it, onTestFinished, vi } from "vitest";
import { abortedEvent } from "../../src/core/cast/decide.ts";
import { apply } from "../../src/core/cast/apply.ts";
import { next, startedEvent } from "../../src/core/cast/next.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { watchCast } from "../../src/shell/casting/watch-cast.ts";
import { castsIn, newPlace, run } from "../harness/cli.ts";
import { TIME } from "../harness/seats.ts";
import { newPlace as newLife } from "../parallel/harness/lives.ts";
import { parallelWorkshop } from "../parallel/harness/scenarios.ts";

const REHEARSAL = { replies: { Build: [{ text: "the hut stands" }] } };

it("[C33] watch shows how a cast ends, exits like it, and takes the newest where none is named", async () => {
  const cwd = newPlace({ "replies.json": REHEARSAL });
  await run(["link", "Build", "--rehearse", "replies.json", "--", "a hut"], { cwd });
  const [castId = ""] = castsIn(cwd);
  for (const args of [["watch"], ["watch", castId]]) {
    const { code, stdout } = await run(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("the hut stands");
  }
});

it("[C33] watch of a cast that nobody drives says so and ends", async () => {
  const cwd = newPlace({ "replies.json": { replies: { "Interactive-Plan": [{ text: "Wood or stone?" }] } } });
  await run(["link", "Interactive-Plan", "--rehearse", "replies.json", "--", "a hut"], { cwd });
  expect((await run(["watch"], { cwd })).code).toBe(4);
});

it("[C33] whose process was killed drives a cast no more, though nothing says so", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { store, file, giveUp } = newLife({ config: parallelWorkshop(1), deed: () => ({ text: "" }) });
  await store.create({ file }, {});
  const cast = await store.load(file.castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  const watching = watchCast(store, cast.value, { signal: new AbortController().signal });
  await vi.advanceTimersByTimeAsync(3_000);
  giveUp();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await watching).toMatchObject({ ok: true, value: { kind: "paused" } });
  expect(vi.getTimerCount()).toBe(0);
});

it("[C33] what an owner writes on leaving is still told: its cast has ended, and does not merely stand still", async () => {
  const { store, file } = newLife({ config: parallelWorkshop(1), deed: () => ({ text: "" }) });
  const owned = await store.create({ file }, {});
  const cast = await store.load(file.castId);
  if (!owned.ok || !cast.ok) throw new Error("it is there");
  const { state } = cast.value;
  const last = [startedEvent(state), abortedEvent(state)].map((body, index) => ({ seq: index + 1, at: TIME, ...body }));
  const leaving: typeof store.owner = async (castId) => {
    await owned.value.journal.append(last, 0);
    await owned.value.release();
    return store.owner(castId);
  };
  const watching = { signal: new AbortController().signal };
  const end = await watchCast({ ...store, owner: leaving }, cast.value, watching);
  expect(end).toMatchObject({ ok: true, value: { kind: "ended", state: { phase: { outcome: "aborted" } } } });
});

it("[C33] watch of a cast on this machine shows what its agent says, as on a fleet", async () => {
  const { store, file } = newLife({ config: parallelWorkshop(1), deed: () => ({ text: "" }) });
  const owned = await store.create({ file }, {});
  const cast = await store.load(file.castId);
  if (!owned.ok || !cast.ok) throw new Error("it is there");
  const events: CastEvent[] = [];
  let { state } = cast.value;
  for (let effect = next(state); effect.kind === "record"; effect = next(state))
    for (const body of effect.events) {
      const event = { seq: state.seq + 1, at: TIME, ...body };
      events.push(event);
      state = apply(state, event);
    }
  const visit = state.phase.kind === "visiting" ? state.phase.visit : undefined;
  if (!visit) throw new Error("its first agent works");
  await owned.value.journal.append(events, 0);
  const content = [{ type: "text", text: "I plan the hut." }];
  const line = JSON.stringify({ type: "message", message: { role: "assistant", content } });
  await owned.value.artifacts.append(visit.socket, visit.number, "transcript.jsonl", `${line}\n`);
  const looking = new AbortController();
  const seen: unknown[] = [];
  await watchCast(store, cast.value, {
    signal: looking.signal,
    onProgress: (progress, at) => {
      seen.push([progress, at.phase.kind]);
      looking.abort();
    },
  });
  expect(seen).toEqual([[{ kind: "text", from: 0, delta: "I plan the hut." }, "visiting"]]);
});

it("[C33] a journal that is damaged while it is watched is refused with its line", async () => {
  const { store, file } = newLife({ config: parallelWorkshop(1), deed: () => ({ text: "" }) });
  await store.create({ file }, {});
  const cast = await store.load(file.castId);
  if (!cast.ok) throw new Error("it is there");
  const follow: typeof store.followEvents = () => ({
    next: async () => ({ kind: "damaged", events: [], line: 3 }),
    close: () => undefined,
  });
  const end = await watchCast({ ...store, followEvents: follow }, cast.value, { signal: AbortSignal.abort() });
  expect(end).toMatchObject({
    ok: false,
    issues: [{ code: "damaged_journal", message: "line 3 of the journal is damaged" }],
  });
});
