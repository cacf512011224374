import { expect, it, onTestFinished } from "vitest";
import { socket } from "../seats.ts";
import { followContract } from "./follow-contract.ts";
import { bell, castFile, claimed, created, eventsOf, finished, idOf, type StoreUnderTest } from "./store-casts.ts";

const castId = idOf("c-1");
const at = { socket: socket("Socket-1"), visit: 1 };

/** What any store of casts must do, as tests. */
export function storeContract(open: () => StoreUnderTest): void {
  newCasts(open);
  reading(open);
  owning(open);
  writing(open);
  followContract(open);
  removing(open);
}

function newCasts(open: () => StoreUnderTest): void {
  it("[J22] a new cast is its maker's before anybody can see it, and is seen whole or not at all", async () => {
    const { store } = open();
    const making = store.create({ file: castFile("c-1"), attachments: { "answers.json": "[]" } }, {});
    const seen: unknown[] = [];
    await Promise.all([
      making,
      ...Array.from({ length: 20 }, async (_, turns) => {
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        if (!(await store.find(castId)).ok) return;
        const [file, brought] = [await store.readCastFile(castId), await store.readAttachment(castId, "answers.json")];
        seen.push([file.ok, brought, (await store.owner(castId))?.pid]);
      }),
    ]);
    expect((await making).ok).toBe(true);
    for (const each of seen) expect(each).toEqual([true, "[]", process.pid]);
    expect(await store.claim(castId, {})).toMatchObject({ ok: false, issues: [{ code: "cast_owned" }] });
  });

  it("[J18] of many makers of one id one makes it, and the others change nothing of it", async () => {
    const { store } = open();
    const files = Array.from({ length: 8 }, (_, index) => ({ ...castFile("c-1"), request: `request ${index}` }));
    const made = await Promise.all(files.map((file) => store.create({ file }, {})));
    const winner = made.findIndex(({ ok }) => ok);
    expect(made.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await store.readCastFile(castId)).toMatchObject({ ok: true, value: { request: `request ${winner}` } });
    expect(await store.listIds()).toEqual({ ok: true, value: [castId] });
  });

  it("[C3] a cast that could not begin is taken back without a trace", async () => {
    const { store } = open();
    await (await created(store)).discard();
    expect([await store.listIds(), await store.summary(castId)]).toEqual([{ ok: true, value: [] }, undefined]);
    expect((await created(store)).epoch).toBe(1);
  });
}

function reading(open: () => StoreUnderTest): void {
  it("[C6] a cast by its id; what is no id and what is not there are refused", async () => {
    const { store } = open();
    await created(store);
    expect(await store.find("c-1")).toEqual({ ok: true, value: "c-1" });
    expect(await store.find("../c-1")).toMatchObject({ ok: false, issues: [{ code: "bad_cast_id" }] });
    expect(await store.find("c-2")).toMatchObject({ ok: false, issues: [{ code: "unknown_cast" }] });
    expect(await store.load(idOf("c-2"))).toMatchObject({ ok: false, issues: [{ code: "unknown_cast" }] });
    expect([(await store.readCastFile(idOf("c-2"))).ok, await store.summary(idOf("c-2"))]).toEqual([false, undefined]);
  });

  it("[J21] the list has the newest first, each with how it stands", async () => {
    const { store } = open();
    await finished(store, "c-1");
    await (await created(store, "c-2")).release();
    const owned = await created(store, "c-3");
    await owned.journal.append((await eventsOf("c-3")).slice(0, 2), 0);
    const list = await store.list();
    const shown = list.ok && list.value.map(({ castId: id, status, visits }) => [id, status, visits]);
    expect(shown).toEqual([
      ["c-3", "running", 0],
      ["c-2", "interrupted", 0],
      ["c-1", "completed", 1],
    ]);
    expect(await store.listIds()).toEqual({ ok: true, value: ["c-3", "c-2", "c-1"] });
    expect(await store.summary(castId)).toEqual(list.ok && list.value[2]);
    await owned.release();
    expect((await store.summary(idOf("c-3")))?.status).toBe("interrupted");
  });

  it("[J1] what was appended is what is loaded, folded and found at the ends", async () => {
    const { store } = open();
    const events = await finished(store);
    expect(await store.readCastFile(castId)).toEqual({ ok: true, value: castFile("c-1") });
    const loaded = await store.load(castId);
    expect(loaded).toMatchObject({
      ok: true,
      value: { events, tornBytes: 0, state: { seq: events.length, phase: { kind: "ended" } } },
    });
    const folded = await store.fold(castId, { begin: () => 0, step: (sum, { seq }) => sum + seq });
    expect(folded).toMatchObject({ ok: true, value: { value: (events.length * (events.length + 1)) / 2 } });
    const ends = await store.readEnds(castId, (last) => last.length >= 2);
    expect([ends.first, ends.last.slice(-2), ends.unread]).toEqual([events[0], events.slice(-2), 0]);
    expect((await store.readEnds(castId, () => false)).last).toEqual(events);
  });

  it("[J27] an owner takes what it knows of a cast as long as nothing was written since, and reads it otherwise", async () => {
    const { store } = open();
    const events = await eventsOf("c-1");
    const first = await created(store);
    await first.journal.append(events.slice(0, 2), 0);
    await first.release();
    const known = await store.load(castId);
    if (!known.ok) throw new Error("it was just written");
    const second = await claimed(store);
    const taken = await second.load(known.value);
    expect(taken.ok && taken.value).toBe(known.value);
    await second.journal.append(events.slice(2, 3), 2);
    expect(await second.load(known.value)).toMatchObject({ ok: true, value: { state: { seq: 3 } } });
    expect(await second.journal.append(events.slice(3), 3)).toBeUndefined();
  });
}

function owning(open: () => StoreUnderTest): void {
  it("[J22] of many that claim a cast at once exactly one gets it; the others learn the owner", async () => {
    const { store } = open();
    await finished(store);
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.claim(castId, {})));
    expect(claims.filter(({ ok }) => ok)).toHaveLength(1);
    const refusals = claims.flatMap((each) => (each.ok ? [] : each.issues.map(({ code, message }) => [code, message])));
    expect(refusals).toEqual(
      Array.from({ length: 7 }, () => ["cast_owned", expect.stringContaining(String(process.pid))]),
    );
    expect((await store.owner(castId))?.pid).toBe(process.pid);
  });

  it("[J22] let go it is free, the next owner's epoch is higher, and the last one's writes are refused", async () => {
    const { store } = open();
    const first = await created(store);
    await first.heartbeat();
    expect(await first.holdsClaim()).toBe(true);
    await first.release();
    expect([await first.holdsClaim(), await store.owner(castId)]).toEqual([false, undefined]);
    const second = await claimed(store);
    expect(second.epoch).toBeGreaterThan(first.epoch);
    expect(await first.journal.append(await eventsOf("c-1"), 0)).toBeTypeOf("string");
    expect(await second.load()).toMatchObject({ ok: true, value: { state: { seq: 0 } } });
  });

  it("[D16] an owner that was given up writes nothing any more, and takes nothing with it", async () => {
    const { store, giveUp } = open();
    const events = await eventsOf("c-1");
    const first = await created(store);
    // A file counts once the append behind it has returned.
    await first.artifacts.write(at.socket, 1, "output.md", "first");
    await first.journal.append(events.slice(0, 2), 0);
    await giveUp(castId);
    const second = await claimed(store);
    expect(await second.load()).toMatchObject({ ok: true, value: { state: { seq: 2 } } });
    expect(await first.holdsClaim()).toBe(false);
    expect(await first.journal.append(events.slice(2, 3), 2)).toBeTypeOf("string");
    expect(await first.artifacts.write(at.socket, 1, "output.md", "late")).toBeTypeOf("string");
    expect(await first.artifacts.append(at.socket, 1, "output.md", "late")).toBeTypeOf("string");
    await first.discard();
    expect(await second.journal.append(events.slice(2), 2)).toBeUndefined();
    expect(await store.load(castId)).toMatchObject({ ok: true, value: { events } });
    expect(Buffer.from((await store.readArtifact(castId, { ...at, name: "output.md" }))?.bytes ?? [])).toEqual(
      Buffer.from("first"),
    );
  });

  it("[D24] an owner's note is found by the next", async () => {
    const { store } = open();
    const first = await created(store);
    expect(await first.readNote("program")).toBeUndefined();
    await first.writeNote("program", "one");
    await first.writeNote("program", "two");
    await first.release();
    expect(await (await claimed(store)).readNote("program")).toBe("two");
  });

  it("[J22] who wants the end of a cast is heard by its owner, and by nobody who stopped listening", async () => {
    const { store } = open();
    const owned = await created(store);
    const [asked, deaf] = [bell(), bell()];
    let heardByDeaf = false;
    owned.onAbortRequest(() => {
      heardByDeaf = true;
      deaf.ring();
    })();
    onTestFinished(owned.onAbortRequest(asked.ring));
    await store.requestAbort(castId);
    await asked.rung();
    expect(heardByDeaf).toBe(false);
  });
}

function writing(open: () => StoreUnderTest): void {
  it("[J1] events go behind the one that is named, all of them or none", async () => {
    const { store } = open();
    const owned = await created(store);
    const events = await eventsOf("c-1");
    expect(await owned.journal.append(events.slice(0, 3), 0)).toBeUndefined();
    for (const after of [0, 2, 4]) expect(await owned.journal.append(events.slice(3), after)).toBeTypeOf("string");
    expect(await store.load(castId)).toMatchObject({ ok: true, value: { events: events.slice(0, 3) } });
    expect(await owned.journal.append(events.slice(3), 3)).toBeUndefined();
    expect(await store.load(castId)).toMatchObject({ ok: true, value: { events } });
  });

  it("[J19] files of visits are written, written again, appended to and read in parts", async () => {
    const { store } = open();
    const { artifacts } = await created(store);
    const read = async (name: string, part = {}): Promise<unknown> => {
      const found = await store.readArtifact(castId, { ...at, name }, part);
      return found && [Buffer.from(found.bytes).toString("utf8"), found.size];
    };
    expect(await read("output.md")).toBeUndefined();
    expect(await artifacts.write(at.socket, 1, "output.md", "a longer text")).toBeUndefined();
    expect(await artifacts.write(at.socket, 1, "output.md", "नमस्ते")).toBeUndefined();
    expect(await read("output.md")).toEqual(["नमस्ते", 18]);
    await artifacts.append(at.socket, 1, "prompt.md", "one");
    await artifacts.append(at.socket, 1, "prompt.md", ", two");
    expect([await read("prompt.md", { from: 3, maxBytes: 3 }), await read("prompt.md", { maxBytes: 0 })]).toEqual([
      [", t", 8],
      ["", 8],
    ]);
    await artifacts.write(at.socket, 12, "output.md", "");
    expect([await store.lastVisit(castId, at.socket), await store.lastVisit(castId, socket("Socket-9"))]).toEqual([
      12, 0,
    ]);
  });

  it("[S12] no secret reaches an event or a file", async () => {
    const { store } = open();
    const redact = (text: string): string => text.replaceAll("hunter2", "[secret]");
    const made = await store.create({ file: castFile("c-1") }, { redact });
    if (!made.ok) throw new Error(JSON.stringify(made.issues));
    const [start] = await eventsOf("c-1");
    if (start?.type !== "cast_started") throw new Error("no start");
    await made.value.journal.append([{ ...start, request: "use hunter2" }], 0);
    await made.value.artifacts.write(at.socket, 1, "output.md", "hunter2");
    expect(await store.load(castId)).toMatchObject({ ok: true, value: { events: [{ request: "use [secret]" }] } });
    expect((await store.readArtifact(castId, { ...at, name: "output.md" }))?.size).toBe("[secret]".length);
  });
}

function removing(open: () => StoreUnderTest): void {
  it("[D20] removing takes those that nobody owns, each as a whole, and says which", async () => {
    const { store } = open();
    await finished(store, "c-1");
    await finished(store, "c-2");
    const owned = await created(store, "c-3");
    expect(await store.remove(["c-1", "c-3", "c-9", "../c-2"])).toEqual({ ok: true, value: ["c-1"] });
    expect(await store.listIds()).toEqual({ ok: true, value: ["c-3", "c-2"] });
    expect([(await store.load(castId)).ok, await store.summary(castId)]).toEqual([false, undefined]);
    expect(await owned.holdsClaim()).toBe(true);
  });
}
