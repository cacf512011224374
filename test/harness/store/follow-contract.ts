import { expect, it, onTestFinished } from "vitest";
import { socket } from "../seats.ts";
import { bell, created, drained, eventsOf, finished, idOf, type StoreUnderTest } from "./store-casts.ts";

const castId = idOf("c-1");
const at = { socket: socket("Socket-1"), visit: 1 };

/** What any store tells those who follow its casts. */
export function followContract(open: () => StoreUnderTest): void {
  it("[N12] from any event on, nothing is lost and nothing comes twice", async () => {
    const { store } = open();
    const events = await finished(store);
    for (let after = 0; after <= events.length; after += 1) {
      const follower = store.followEvents(castId, after, () => undefined);
      expect(await drained(follower)).toEqual(events.slice(after));
      expect(await follower.next()).toEqual({ kind: "nothing" });
      follower.close();
    }
  });

  it("[N11] later appends wake the follower and are given once", async () => {
    const { store } = open();
    const owned = await created(store);
    const events = await eventsOf("c-1");
    const woken = bell();
    const follower = store.followEvents(castId, 0, woken.ring);
    onTestFinished(follower.close);
    const heard = [...(await drained(follower))];
    for (const [after, event] of events.entries()) {
      await owned.journal.append([event], after);
      while (heard.length <= after) {
        await woken.rung();
        heard.push(...(await drained(follower)));
      }
    }
    expect(heard).toEqual(events);
  });

  it("[N12] a follower that has seen more than there is, or follows a removed cast, gets an error", async () => {
    const { store } = open();
    const events = await finished(store);
    const ahead = store.followEvents(castId, events.length + 1, () => undefined);
    expect(await ahead.next()).toEqual({ kind: "lost" });
    const follower = store.followEvents(castId, 0, () => undefined);
    await drained(follower);
    await store.remove([castId]);
    expect(await follower.next()).toEqual({ kind: "lost" });
    ahead.close();
    follower.close();
  });

  it("[N26] a transcript is given line by line, never half of one, and from the start where it began again", async () => {
    const { store } = open();
    const { artifacts } = await created(store);
    const tell = (text: string): Promise<unknown> => artifacts.append(at.socket, 1, "transcript.jsonl", text);
    const follower = store.followTranscript(castId, at, () => undefined);
    onTestFinished(follower.close);
    expect((await follower.next()).kind).not.toBe("lines");
    await tell('{"a":1}\n{"b":2}\n{"c"');
    const first = await follower.next();
    // A follower may say once that there is something to read from the start.
    const lines = first.kind === "restarted" ? await follower.next() : first;
    expect(lines).toEqual({ kind: "lines", lines: ['{"a":1}', '{"b":2}'] });
    expect(await follower.next()).toEqual({ kind: "nothing" });
    await tell(":3}\n");
    expect(await follower.next()).toEqual({ kind: "lines", lines: ['{"c":3}'] });
    await artifacts.write(at.socket, 1, "transcript.jsonl", '{"d":4}\n');
    expect(await follower.next()).toEqual({ kind: "restarted" });
    expect(await follower.next()).toEqual({ kind: "lines", lines: ['{"d":4}'] });
  });

  it("[N10] who watches the list hears of a new cast until they stop", async () => {
    const { store } = open();
    await created(store, "c-0");
    const changed = bell();
    const stop = store.onListChange(changed.ring);
    await created(store, "c-1");
    await changed.rung();
    stop();
    expect(await store.listIds()).toEqual({ ok: true, value: ["c-1", "c-0"] });
  });
}
