import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openUi } from "../src/apps/server/open-ui.ts";
import type { CastEvent } from "../src/core/cast/state/event.ts";
import { encodeLines, firstChainHead } from "../src/shell/store/files/journal-chain.ts";
import { castFile, createdCast } from "./new-cast.ts";
import { changedFiles, filesViewMs } from "./web-files.ts";

export interface WebFigures {
  readonly events: number;
  /** `GET /api/casts/<id>` over loopback, its JSON parsed. */
  readonly firstViewMs: number;
  readonly firstViewMb: number;
  /** The files of a cast of as many events and the diff of the first, over loopback. Results of earlier versions lack it. */
  readonly filesMs?: number;
  /** From the append of an event by another process to its arrival over the stream. */
  readonly deliveryMs: { readonly p50: number; readonly p99: number; readonly most: number };
}

/** What a page waits for: a long cast at first, then each event of it. */
export async function measureWebServer(events = 10_000, appends = 300): Promise<WebFigures> {
  const scratch = mkdtempSync(join(tmpdir(), "materia-bench-"));
  const { file, castId } = await longCast(scratch, events);
  await keptCast(scratch, "files", changedFiles(scratch));
  const opened = await openUi({
    place: { cwd: scratch, env: { HOME: scratch } },
    openReal: () => Promise.reject(new Error("nobody is asked")),
    report: (problem) => console.error(problem),
  });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const { origin, searchParams } = new URL(opened.value.url);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  try {
    const views: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 7; round += 1) {
      const started = performance.now();
      const text = await (await fetch(`${origin}/api/casts/${castId}`, { headers })).text();
      JSON.parse(text);
      views.push(performance.now() - started);
      bytes = text.length;
    }
    const fileViews: number[] = [];
    for (let round = 0; round < 7; round += 1)
      fileViews.push(await filesViewMs((path) => fetch(`${origin}${path}`, { headers })));
    const stream = await fetch(`${origin}/api/casts/${castId}/events?after=${events}`, { headers });
    const delays = await delaysOf(stream, { file, events, appends });
    return {
      events,
      firstViewMs: at(views, 0.5),
      firstViewMb: bytes / 2 ** 20,
      filesMs: at(fileViews, 0.5),
      deliveryMs: { p50: at(delays, 0.5), p99: at(delays, 0.99), most: at(delays, 1) },
    };
  } finally {
    await opened.value.close();
    rmSync(scratch, { recursive: true });
  }
}

async function longCast(scratch: string, events: number): Promise<{ readonly file: string; readonly castId: string }> {
  const castId = "bench";
  const first = { type: "cast_started", castId, request: "Do the work.", loadout: "bench" };
  const place = { socket: "Socket-1", visit: 1, usage: { input: 1, output: 1, cost: 0 } };
  const totals = { visits: 1, itemsDone: 0, items: 0, tokens: 2, cost: 0 };
  const visit = [
    { type: "output_accepted", ...place, text: "x".repeat(400), chars: 400 },
    { type: "visit_completed", ...place, totals },
  ];
  const told = Array.from({ length: events }, (_, index) => (index === 0 ? first : (visit[index % 2] ?? {})));
  return { file: await keptCast(scratch, castId, told), castId };
}

/** A cast with these events. */
async function keptCast(scratch: string, castId: string, events: readonly object[]): Promise<string> {
  const root = join(scratch, ".pi", "pi-materia");
  const at = new Date(0).toISOString();
  await (await createdCast(root, castFile(scratch, castId))).release();
  const stamped = events.map((event, index) => ({ seq: index + 1, at, ...event }) as CastEvent); // events as the callers write them
  const file = join(root, castId, "journal.jsonl");
  writeFileSync(file, encodeLines(stamped, firstChainHead(castId), 1).text);
  return file;
}

/** Another process appends one event after the other, each with the time at which it did. */
const APPENDER = `
const { appendFileSync, readFileSync } = require("node:fs");
const { crc32 } = require("node:zlib");
const [file, from, count] = process.argv.slice(1);
let seq = Number(from);
let crc = Number.parseInt(readFileSync(file, "utf8").slice(-11, -3), 16);
const timer = setInterval(() => {
  if (seq >= Number(from) + Number(count)) return clearInterval(timer);
  seq += 1;
  const used = performance.timeOrigin + performance.now();
  const event = { seq, at: new Date().toISOString(), type: "cast_warned", limit: "maxTokens", used, of: 1 };
  const body = JSON.stringify(event).slice(0, -1) + ',"epoch":1';
  crc = crc32(body, crc);
  appendFileSync(file, body + ',"crc":"' + crc.toString(16).padStart(8, "0") + '"}\\n');
}, 5);
`;

async function delaysOf(
  stream: Response,
  { file, events, appends }: { readonly file: string; readonly events: number; readonly appends: number },
): Promise<readonly number[]> {
  if (!stream.body) throw new Error("there is no stream");
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  const child = spawn(process.execPath, ["-e", APPENDER, file, String(events), String(appends)], { stdio: "inherit" });
  const exited = once(child, "exit");
  const delays: number[] = [];
  let text = "";
  while (delays.length < appends) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended");
    const now = performance.timeOrigin + performance.now();
    text += value;
    for (const found of text.matchAll(/"used":([\d.]+),"of":1\}\n\n/g)) delays.push(now - Number(found[1]));
    text = text.slice(text.lastIndexOf("\n\n") + 1);
  }
  await exited;
  await reader.cancel();
  return delays;
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
