import type { CastEvent, EventOf } from "../../core/cast/state/event.ts";
import type { AgentProgress } from "../../core/wire/stream.ts";
import type { CastId } from "../../core/model/ids.ts";
import { createProgressQueue, tailOfOutput } from "../../shell/casting/live-progress.ts";
import type { FleetClient } from "../../shell/workspace/workspace.ts";
import type { CastStore, Subscription, TranscriptUpdate, VisitRef } from "../../shell/store/cast-store.ts";
import { type EventFeed, encodeMessage, encodeJournalLine } from "./event-stream.ts";
import type { LiveSources } from "./cast-runs.ts";
import { itemRunAt } from "../../core/cast/item-runs.ts";
import { followItemJournals } from "../../shell/casting/watch-cast.ts";
import { NO_USAGE, addUsage } from "../../core/cast/state/usage.ts";
import { parseTranscriptLine, type TranscriptMessage, type TranscriptPart } from "../../core/cast/transcript.ts";

/** A cast with a listener. */
export interface FollowedCast {
  readonly store: CastStore;
  readonly castId: CastId;
  readonly live: LiveSources;
  readonly wake: () => void;
  /** Set for a cast of a fleet. */
  readonly fleet?: FleetClient;
}

/** [N11, N12, N13] The events of a cast after `after`, then every new one, with the progress of its agents. */
export function openCastFeed(listened: FollowedCast, after: number): EventFeed {
  const { store, castId, live, wake } = listened;
  const journal = store.followEvents(castId, after, wake);
  const notes = createProgressQueue();
  const elsewhere = listened.fleet ? followFleetTurn(listened, listened.fleet) : followTranscripts(listened);
  const pulse = watchOwner(listened);
  const items = followItemVisits(listened);
  const unlisten = live.runs.listen(castId, (note) => {
    notes.push(note);
    wake();
  });
  let isOver = false;
  const events = async (): Promise<string | undefined> => {
    const news = await journal.next();
    if (news.kind === "nothing") return undefined;
    isOver = news.kind !== "events";
    if (news.kind === "lost") return encodeMessage({ kind: "reset", data: {} });
    for (const event of news.events) {
      elsewhere.hear(event);
      items.hear(event);
    }
    const frames = news.events.map((event) => encodeJournalLine(event.seq, JSON.stringify(event))).join("");
    return news.kind === "events" ? frames : frames + encodeMessage({ kind: "damaged", data: { line: news.line } });
  };
  return {
    next: async () => {
      if (isOver) return undefined;
      const news = (await events()) ?? (await pulse.next()) ?? (await items.next());
      if (news !== undefined) return news;
      const note = notes.take() ?? (await elsewhere.next());
      return note && encodeMessage({ kind: "progress", data: note });
    },
    isOver: () => isOver,
    close: () => {
      for (const stop of [journal.close, unlisten, elsewhere.close, pulse.close, items.close]) stop();
    },
  };
}

/**
 * Whether a process drives the cast. A killed process leaves no trace, so a live owner is checked each second.
 * On a fleet the other workers report a dead owner.
 */
function watchOwner({ store, castId, live, wake, fleet }: FollowedCast) {
  let said: boolean | undefined;
  let stop: (() => void) | undefined;
  let isOld = true;
  const look = (): void => {
    isOld = true;
    wake();
  };
  const unwatch = store.onOwnerChange(castId, look);
  return {
    next: async (): Promise<string | undefined> => {
      if (!isOld) return undefined;
      isOld = false;
      const alive = (await store.owner(castId)) !== undefined;
      if (alive && !fleet && !live.runs.isRunningHere(castId)) stop ??= live.everySecond(look);
      else {
        stop?.();
        stop = undefined;
      }
      if (alive === said) return undefined;
      said = alive;
      return encodeMessage({ kind: "live", data: { live: alive } });
    },
    close: () => {
      unwatch();
      stop?.();
    },
  };
}

/** When another process drives the cast, progress comes from the transcript of the current visit. */
function followTranscripts({ store, castId, live, wake }: FollowedCast) {
  let visit: EventOf<"visit_started"> | undefined;
  let open: TranscriptProgressReader | undefined;
  const leave = (): void => {
    open?.close();
    open = undefined;
    visit = undefined;
  };
  return {
    hear: (event: CastEvent): void => {
      if (event.type === "visit_completed" || event.type === "cast_ended") leave();
      if (event.type !== "visit_started") return;
      leave();
      if (!live.runs.isRunningHere(castId)) visit = event;
    },
    next: async (): Promise<AgentProgress | undefined> => {
      if (!visit) return undefined;
      // Open on demand: only the last visit of a long journal needs a watch.
      open ??= openTranscriptProgress(visit, store.followTranscript(castId, visit, wake));
      return open.next();
    },
    close: leave,
  };
}

/** [B27] Progress reported by the worker that drives the cast. */
function followFleetTurn({ castId, wake }: FollowedCast, fleet: FleetClient) {
  const turn = fleet.followTurn(castId, wake);
  const waiting: AgentProgress[] = [];
  return {
    hear: (): void => undefined,
    next: async (): Promise<AgentProgress | undefined> => {
      if (waiting.length === 0) waiting.push(...(await turn.next()));
      return waiting.shift();
    },
    close: turn.close,
  };
}

interface FollowedItemsOptions {
  readonly store: CastStore;
  readonly castId: CastId;
  readonly wake: () => void;
}

/** [V25] Every arrival of an item at a socket. Each item runs in its own cast. */
function followItemVisits({ store, castId, wake }: FollowedItemsOptions) {
  const items = followItemJournals({ store, wake });
  const said: string[] = [];
  let isAsked = false;
  /** A listener that joins late has not received the earlier starts. */
  const ask = async (): Promise<void> => {
    isAsked = true;
    const file = await store.readCastFile(castId);
    if (!file.ok || !Object.values(file.value.graph.loops).some(({ parallel }) => parallel !== undefined)) return;
    const cast = await store.load(castId);
    if (!cast.ok || cast.value.state.phase.kind !== "forked") return;
    const { fork } = cast.value.state.phase;
    for (const index of fork.running) {
      const run = itemRunAt(fork, index);
      if (run) items.follow(run.child);
    }
  };
  const look = async (child: CastId): Promise<void> => {
    const visit = (await items.read(child))?.findLast((event) => event.type === "visit_started");
    if (visit?.type === "visit_started")
      said.push(encodeMessage({ kind: "item", data: { child, socket: visit.socket } }));
  };
  return {
    hear: (event: CastEvent): void => {
      if (event.type === "item_started") items.follow(event.child);
      if (event.type === "item_ended") items.unfollow(event.child);
      if (event.type === "cast_ended") items.close();
    },
    next: async (): Promise<string | undefined> => {
      if (!isAsked) await ask();
      if (said.length === 0) for (const child of items.children()) await look(child);
      return said.shift();
    },
    close: items.close,
  };
}

/** The progress in the transcript of a visit, message by message. */
export interface TranscriptProgressReader {
  readonly next: () => Promise<AgentProgress | undefined>;
  readonly close: () => void;
}

function openTranscriptProgress(
  { socket, visit }: VisitRef,
  lines: Subscription<TranscriptUpdate>,
): TranscriptProgressReader {
  const waiting: AgentProgress[] = [];
  const before = { text: 0, thinking: 0 };
  let used = NO_USAGE;
  const place = { socket, visit };

  const said = (kind: "text" | "thinking", delta: string): readonly AgentProgress[] => {
    if (delta === "") return [];
    const from = before[kind];
    before[kind] += delta.length;
    return [{ ...place, kind, from, delta }];
  };
  const partNotes = (part: TranscriptPart): readonly AgentProgress[] => {
    if (part.type === "text") return said("text", part.text ?? "");
    if (part.type === "thinking") return said("thinking", part.thinking ?? "");
    if (part.type !== "toolCall" || part.id === undefined || part.name === undefined) return [];
    return [{ ...place, kind: "tool_started", id: part.id, name: part.name, args: part.arguments }];
  };
  const answerNotes = ({ content, usage }: TranscriptMessage): readonly AgentProgress[] => {
    const words = typeof content === "string" ? said("text", content) : content.flatMap(partNotes);
    if (!usage) return words;
    used = addUsage(used, usage);
    return [...words, { ...place, kind: "used", usage: used }];
  };
  const messageNotes = (message: TranscriptMessage): readonly AgentProgress[] => {
    const { role, toolCallId, toolName, isError } = message;
    if (role === "user") {
      used = NO_USAGE;
      before.text = 0;
      before.thinking = 0;
      return [{ ...place, kind: "asked" }];
    }
    if (role === "assistant") return answerNotes(message);
    if (role !== "toolResult" || toolCallId === undefined) return [];
    return [
      {
        ...place,
        kind: "tool_ended",
        id: toolCallId,
        name: toolName ?? "",
        failed: isError === true,
        said: toolOutputText(message),
      },
    ];
  };

  return {
    next: async () => {
      if (waiting.length > 0) return waiting.shift();
      const news = await lines.next();
      for (const line of news.kind === "lines" ? news.lines : []) {
        const message = parseTranscriptLine(line);
        if (message) waiting.push(...messageNotes(message));
      }
      return waiting.shift();
    },
    close: lines.close,
  };
}

function toolOutputText({ content }: TranscriptMessage): string {
  return tailOfOutput(typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n"));
}
