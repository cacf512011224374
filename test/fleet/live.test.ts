import { expect, it } from "vitest";
import { join } from "node:path";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { SocketId } from "../../src/core/model/ids.ts";
import type { AgentProgress } from "../../src/core/wire/stream.ts";
import { openLiveTurnPublisher } from "../../src/shell/fleet/worker/live-turn.ts";
import { postgresStore } from "../../src/shell/store/postgres/postgres-store.ts";
import { createRedactedStream } from "../../src/shell/secrets/redact.ts";
import { put } from "../harness/cli.ts";
import { fleetPage } from "../harness/fleet/fleet-page.ts";
import { fleetPlace, isWaiting, letGo } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { closing, enrol, fleetDatabase, opened } from "../harness/fleet/postgres.ts";
import { castFile, idOf } from "../harness/store/store-casts.ts";
import type { Message } from "../webserver/harness.ts";

const isKind =
  (kind: string) =>
  ({ event, data }: Message): boolean =>
    event === "progress" && (data as { kind: string }).kind === kind;

it("[B27] live output of an agent on a worker reaches the page and watch", async () => {
  const place = await fleetPlace();
  const command = `echo half; touch ${join(place.gate, "Socket-1")}; while [ -d ${place.gate} ] && [ ! -e ${join(place.gate, "go")} ]; do sleep 0.02; done; echo whole`;
  put(place.cwd, {
    "replies.json": { replies: { Agent: [{ tools: [{ name: "bash", arguments: { command } }], text: "well done" }] } },
  });
  const page = await fleetPage(place);
  await place.worker();
  const sent = await place.materia("cast", "--loadout", "Thinking", "--rehearse", "replies.json", "--detach", "do it");
  const castId = sent.stdout.trim();
  const events = await page.listen(`/api/casts/${castId}/events`);
  const heard = await events.until(({ data }) => String((data as { said?: string }).said).includes("half"));
  expect(heard.filter(({ event }) => event === "progress").map(({ data }) => (data as { kind: string }).kind)).toEqual(
    expect.arrayContaining(["asked", "tool_started", "tool_said"]),
  );
  await until(() => isWaiting(place, "Socket-1"));
  // Who comes late gets the turn from its beginning.
  const late = await page.listen(`/api/casts/${castId}/events`);
  const seen = await late.until(isKind("tool_said"));
  expect(seen.filter(isKind("asked"))).toHaveLength(1);
  const watched = place.materia("watch", castId, "--json");
  letGo(place);
  await events.until(({ event, data }) => event === "message" && (data as { type: string }).type === "cast_ended");
  expect((await watched).code).toBe(0);
  await events.close();
  await late.close();
  // Nothing of it is kept.
  await until(async () => (await place.database.query({ text: "select from materia.live" })).length === 0);
});

const VISIT = { socket: "Socket-1" as SocketId, visit: 1 }; // of that form
const VISITING = {
  phase: { kind: "visiting", visit: { socket: "Socket-1", number: 1 } },
} as unknown as CastState; // all that is read of it

async function liveCast() {
  const { url, database } = await fleetDatabase();
  const workerId = await enrol(database, "w");
  const store = closing(
    postgresStore({ database, location: "here", project: "p", worker: { id: workerId, scratch: "/nowhere" } }),
  );
  const castId = idOf("c-1");
  await database.queryOnce({
    text: "insert into materia.casts (cast_id, project, file, summary, owner, status) values ($1, 'p', $2, '{}', $3, 'running')",
    values: [castId, JSON.stringify(castFile(castId)), workerId],
  });
  const reader = closing(postgresStore({ database: await opened(url), location: "there", project: "p" }));
  const env = { THE_API_KEY: "sk-4f9Q2x7Zk1Lm8pWd" };
  const turn = openLiveTurnPublisher({ database, castId, workerId, env, notify: store.notifyTurn });
  return { database, castId, turn, reader };
}

/** What a follower hears, until it is enough. */
async function heardUntil(
  follow: (wake: () => void) => { readonly next: () => Promise<readonly AgentProgress[]>; readonly close: () => void },
  isEnough: (notes: readonly AgentProgress[]) => boolean,
): Promise<readonly AgentProgress[]> {
  let wake = (): void => undefined;
  const following = follow(() => wake());
  const notes: AgentProgress[] = [];
  for (;;) {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const fresh = await following.next();
    notes.push(...fresh);
    if (isEnough(notes)) break;
    if (fresh.length === 0) await woken;
  }
  following.close();
  return notes;
}

const textOf = (notes: readonly AgentProgress[]): string =>
  notes.map((note) => (note.kind === "text" ? note.delta : "")).join("");

it("[B27] text arrives whole and once, without secrets, in pieces of any size", async () => {
  const { castId, turn, reader } = await liveCast();
  const whole = "The key is sk-4f9Q2x7Zk1Lm8pWd, said the agent. ".repeat(3);
  const heard = heardUntil(
    (wake) => reader.followTurn(castId, VISIT, wake),
    (notes) => notes.some(({ kind }) => kind === "tool_started"),
  );
  turn.onProgress({ kind: "asked", system: "" }, VISITING);
  for (let at = 0; at < whole.length; at += 7) {
    turn.onProgress({ kind: "text", delta: whole.slice(at, at + 7) }, VISITING);
    if (at % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  turn.onProgress(
    { kind: "tool_started", id: "1", name: "bash", args: { command: "echo sk-4f9Q2x7Zk1Lm8pWd" } },
    VISITING,
  );
  const notes = await heard;
  expect(textOf(notes)).toBe(whole.replaceAll("sk-4f9Q2x7Zk1Lm8pWd", "[secret THE_API_KEY]"));
  const places = notes.flatMap((note) => (note.kind === "text" ? [{ from: note.from, size: note.delta.length }] : []));
  expect(places.map(({ from }) => from)).toEqual(
    places.map((_, index) => places.slice(0, index).reduce((sum, { size }) => sum + size, 0)),
  );
  expect(notes.at(-1)).toMatchObject({ args: { command: "echo [secret THE_API_KEY]" } });
  await turn.close();
});

it("[B70] the stored live turn is limited in size, and only the driving worker writes it", async () => {
  const { database, castId, turn, reader } = await liveCast();
  turn.onProgress({ kind: "asked", system: "" }, VISITING);
  for (let count = 0; count < 500; count += 1) {
    turn.onProgress({ kind: "text", delta: "word ".repeat(100) }, VISITING);
    turn.onProgress({ kind: "tool_said", id: "1", said: "x".repeat(100_000) }, VISITING);
  }
  turn.onProgress({ kind: "text", delta: "the end" }, VISITING);
  const rows = (): Promise<readonly { readonly size: number }[]> =>
    database.query<{ size: number }>({ text: "select length(turn) as size from materia.live" });
  const [row] = await until(async () => {
    const found = await rows();
    return found.length > 0 && found;
  });
  expect(row?.size).toBeLessThan(64 * 1024);
  const notes = await heardUntil(
    (wake) => reader.followTurn(castId, VISIT, wake),
    (heard) => textOf(heard).endsWith("the end"),
  );
  expect(notes.length).toBeGreaterThan(0);
  await turn.close();
  expect(await rows()).toEqual([]);
  await database.query({ text: "update materia.casts set owner = null" });
  const given = openLiveTurnPublisher({ database, castId, workerId: "w", env: {}, notify: () => undefined });
  given.onProgress({ kind: "asked", system: "" }, VISITING);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await rows()).toEqual([]);
  await given.close();
});

it("[S16] a secret that arrives in pieces is removed, and text that only begins like it stays", () => {
  const stream = createRedactedStream({ THE_API_KEY: "sk-4f9Q2x7Zk1Lm8pWd" });
  const said = ["a sk-", "4f9", "def is no key, but sk-4f9Q2x7Z", "k1Lm8pWd", " is."].map((piece) =>
    stream.push(piece),
  );
  expect([said.join(""), stream.end()]).toEqual(["a sk-4f9def is no key, but [secret THE_API_KEY] is.", ""]);
  expect(said[0]).toBe("a ");
});
