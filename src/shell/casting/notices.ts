import { createHmac, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import * as v from "valibot";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { NOTICE_KINDS, type NoticeKind } from "../../core/model/config.ts";
import { oneLine } from "../../core/model/text.ts";
import type { NoticeReceiver } from "../context/run-context.ts";
import type { CastFile } from "../store/cast-file.ts";
import { ignoreLocalErrors, readStoredJson } from "../system/files.ts";
import { namesIn } from "../system/folders.ts";
import {
  cursorNote,
  GRACE_MS,
  writeUserNote,
  type EventSender,
  type JournalSource,
  type JournalReceiver,
} from "./follow-journal.ts";
import { isTaken, post } from "./telemetry.ts";

/** [YN2] A notice. Its id is the same whenever it is sent again. */
const Notice = v.object({
  id: v.string(),
  kind: v.picklist(NOTICE_KINDS),
  at: v.string(),
  project: v.string(),
  castId: v.exactOptional(v.string()),
  loadout: v.exactOptional(v.string()),
  outcome: v.exactOptional(v.string()),
  cost: v.exactOptional(v.number()),
  /** The command that answers. */
  command: v.exactOptional(v.string()),
  rehearsed: v.exactOptional(v.literal(true)),
  casts: v.exactOptional(v.number()),
  left: v.exactOptional(v.number()),
  /** [YN3] Contents. */
  request: v.exactOptional(v.string()),
  reason: v.exactOptional(v.string()),
});
type Notice = v.InferOutput<typeof Notice>;

const MAX_NOTICE_BYTES = 262_144;
const MAX_TEXT_CHARS = 2_000;

/** [YN4] A receiver hears of a cast from its journal. */
export function noticeReceiver(receiver: NoticeReceiver): JournalReceiver {
  return {
    pending: receiver.pending,
    open: (cast) => createNoticeSender(receiver, cast),
    resend: async (store, castId, signal) => {
      const note = cursorNote(receiver.pending, castId, store.location);
      const cast = await store.load(castId);
      // A cast that was removed has nothing left to send.
      if (!cast.ok) note.remove();
      if (!cast.ok) return true;
      const { file, events } = cast.value;
      const sender = createNoticeSender(receiver, { store, file, lastSeq: 0, note, signal });
      for (const event of events) if (event.seq > sender.cursor) await sender.push(event);
      await sender.flush();
      if (sender.hasUnsent()) return false;
      note.remove();
      return true;
    },
  };
}

function createNoticeSender(
  receiver: NoticeReceiver,
  { file, lastSeq, note, signal }: JournalSource,
): EventSender & { readonly hasUnsent: () => boolean } {
  // What was written before notices were asked for is no news.
  const cursor = note.read() ?? lastSeq;
  let notices: readonly { readonly seq: number; readonly notice: Notice }[] = [];
  let reached = cursor;
  let isLeft = false;
  note.write(cursor);
  return {
    cursor,
    push: async (event) => {
      const notice = noticeOf(event, file);
      if (notice && receiver.on.includes(notice.kind)) notices = [...notices, { seq: event.seq, notice }];
      reached = event.seq;
      isLeft = event.type === "cast_ended" || event.type === "cast_waiting";
    },
    hasUnsent: () => notices.length > 0,
    flush: async () => {
      await sendKept(receiver, signal);
      for (let [first] = notices; first; [first] = notices) {
        if (!(await sendNotice(receiver, first.notice, signal))) return;
        notices = notices.slice(1);
        note.write(first.seq);
      }
      // Its process may end now: the process that continues it begins behind this event.
      if (isLeft) note.remove();
      else note.write(reached);
    },
  };
}

function noticeOf(event: CastEvent, file: CastFile): Notice | undefined {
  const { castId, loadout, request, cwd, rehearsal } = file;
  const about = (kind: NoticeKind, command: string): Notice => ({
    id: `${castId}-${event.seq}`,
    kind,
    at: event.at,
    project: basename(cwd),
    castId,
    loadout: loadout.name,
    command: `materia ${command} ${castId}`,
    ...(rehearsal === null ? {} : { rehearsed: true }),
    request: oneLine(request, MAX_TEXT_CHARS),
  });
  if (event.type === "cast_waiting")
    return { ...about("waiting", "continue"), reason: oneLine(event.question ?? "", MAX_TEXT_CHARS) };
  if (event.type === "cast_sleeping") return { ...about("sleeping", "status"), reason: `until ${event.until}` };
  if (event.type !== "cast_ended") return undefined;
  const { outcome, reason, totals } = event;
  const ended = outcome === "failed" ? about("failed", "recast") : about("ended", "show");
  return { ...ended, outcome, cost: totals.cost, reason: oneLine(reason, MAX_TEXT_CHARS) };
}

/** [YN5] The queue of a project is done. Kept until each receiver has it. */
export async function sendQueueNotice(
  receivers: readonly NoticeReceiver[],
  done: Pick<Notice, "project" | "casts" | "left" | "cost">,
): Promise<void> {
  const id = `queue-${randomUUID()}`;
  const notice: Notice = { id, kind: "queue", at: new Date().toISOString(), ...done };
  const signal = AbortSignal.timeout(GRACE_MS);
  const sent = receivers.map(async (receiver) => {
    if (!receiver.on.includes("queue")) return;
    writeUserNote(join(receiver.pending, `${id}.notice`), notice);
    await sendKept(receiver, signal);
  });
  await Promise.all(sent);
}

const MAX_KEPT = 20;

async function sendKept(receiver: NoticeReceiver, signal: AbortSignal): Promise<void> {
  const kept = namesIn(receiver.pending).filter((name) => name.endsWith(".notice"));
  for (const name of kept.slice(-MAX_KEPT)) {
    const file = join(receiver.pending, name);
    const notice = readStoredJson(Notice, file, MAX_NOTICE_BYTES);
    if (notice && !(await sendNotice(receiver, notice, signal))) return;
    ignoreLocalErrors(() => rmSync(file, { force: true }));
  }
}

/** [YN2] Only 2xx counts: anything else is sent again later, with the same id. */
async function sendNotice(receiver: NoticeReceiver, full: Notice, signal: AbortSignal): Promise<boolean> {
  const { format, url, secret, contents } = receiver;
  const { request: _request, reason: _reason, ...bare } = full;
  const notice = contents ? full : bare;
  const { id, kind, at, ...data } = notice;
  const text = noticeText(notice);
  const json = format === "slack" ? { text } : { type: `materia.${kind}`, timestamp: at, data };
  const body = format === "ntfy" ? text : JSON.stringify(json);
  const seconds = Math.floor(Date.now() / 1_000);
  const headers = {
    "content-type": format === "ntfy" ? "text/plain; charset=utf-8" : "application/json",
    "webhook-id": id,
    "webhook-timestamp": `${seconds}`,
    ...(secret === undefined ? {} : { "webhook-signature": signatureOf(`${id}.${seconds}.${body}`, secret) }),
  };
  return isTaken(await post({ url, headers }, body, signal));
}

/** A secret of Standard Webhooks is base64 behind its prefix; any other text is its own key. */
function signatureOf(text: string, secret: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret, "utf8");
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
}

const KIND_TEXTS: Readonly<Record<NoticeKind, string>> = {
  waiting: "a cast waits for you",
  failed: "a cast failed",
  ended: "a cast ended",
  sleeping: "a cast sleeps through a limit",
  queue: "the queue is done",
};

function noticeText({ kind, project, request, reason, outcome, cost, casts, left, command }: Notice): string {
  const figures = [
    ...(outcome === undefined || kind === "failed" ? [] : [outcome.replace("_", " ")]),
    ...(casts === undefined ? [] : [`${casts} casts, ${left ?? 0} left`]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
  ];
  return [
    `${project}: ${KIND_TEXTS[kind]}${figures.length === 0 ? "" : ` (${figures.join(", ")})`}`,
    ...[request, reason, command].filter((part) => part !== undefined && part !== ""),
  ].join("\n");
}
