import { appendAll } from "../../core/model/lists.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { AgentProgress } from "../../core/wire/stream.ts";
import type { CastId } from "../../core/model/ids.ts";
import { createProgressQueue } from "../../shell/casting/live-progress.ts";
import type { FleetClient } from "../../shell/workspace/workspace.ts";
import type { CastStore } from "../../shell/store/cast-store.ts";
import { type EventFeed, changeFlag, encodeMessage, sseFrame } from "./event-stream.ts";
import type { LiveSources } from "./served-project.ts";
import { itemRunAt } from "../../core/cast/item-runs.ts";
import { createTurnFollower, followItemJournals } from "../../shell/casting/watch-cast.ts";

export interface FollowedCast {
  readonly store: CastStore;
  readonly castId: CastId;
  readonly live: LiveSources;
  readonly wake: () => void;
  readonly fleet: FleetClient | undefined;
}

/** [N11, N12, N13] The events of a cast after `after`, then every new one, with the progress of its agents. */
export function openCastFeed(listened: FollowedCast, after: number): EventFeed {
  const { store, castId, live, wake } = listened;
  const journal = store.followEvents(castId, after, wake);
  const notes = createProgressQueue();
  const elsewhere = followTurns(listened, after);
  const pulse = watchOwner(listened);
  const items = followItemVisits(listened);
  const questions = live.runs.questions.follow(castId, wake);
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
    const frames = news.events.map((event) => sseFrame({ id: event.seq, data: JSON.stringify(event) })).join("");
    return news.kind === "events" ? frames : frames + encodeMessage({ kind: "damaged", data: { line: news.line } });
  };
  const questionsMessage = (): string | undefined => {
    const asked = questions.next();
    return asked && encodeMessage({ kind: "questions", data: { questions: [...asked] } });
  };
  return {
    next: async () => {
      if (isOver) return undefined;
      const news = (await events()) ?? questionsMessage() ?? (await pulse.next()) ?? (await items.next());
      if (news !== undefined) return news;
      const note = notes.take() ?? (await elsewhere.next());
      return note && encodeMessage({ kind: "progress", data: note });
    },
    isOver: () => isOver,
    close: () => {
      for (const stop of [journal.close, unlisten, elsewhere.close, pulse.close, items.close, questions.close]) stop();
    },
  };
}

/**
 * Whether a process drives the cast. A killed process leaves no trace, so a live owner is checked each second.
 * On a fleet the other workers report a dead owner.
 */
function watchOwner({ store, castId, live, wake, fleet }: FollowedCast) {
  let lastSent: boolean | undefined;
  let stop: (() => void) | undefined;
  const old = changeFlag(wake);
  const unwatch = store.onOwnerChange(castId, old.set);
  return {
    next: async (): Promise<string | undefined> => {
      if (!old.take()) return undefined;
      const alive = (await store.owner(castId)) !== undefined;
      if (alive && !fleet && !live.runs.isRunningHere(castId)) stop ??= live.everySecond(old.set);
      else {
        stop?.();
        stop = undefined;
      }
      if (alive === lastSent) return undefined;
      lastSent = alive;
      return encodeMessage({ kind: "live", data: { live: alive } });
    },
    close: () => {
      unwatch();
      stop?.();
    },
  };
}

/** When another process runs the cast, its agents are followed through the store. */
function followTurns({ store, castId, live, wake }: FollowedCast, after: number) {
  const turn = createTurnFollower(store, castId, wake);
  const waiting: AgentProgress[] = [];
  let isAsked = after === 0;
  const hear = (event: CastEvent): void => {
    if (event.type === "visit_completed" || event.type === "cast_ended") turn.followVisit(undefined);
    if (event.type === "visit_started") turn.followVisit(live.runs.isRunningHere(castId) ? undefined : event);
  };
  return {
    hear,
    next: async (): Promise<AgentProgress | undefined> => {
      // A listener that joins later has not received the start of the current visit.
      if (!isAsked) {
        const isStart = ({ type }: CastEvent): boolean => type === "visit_started";
        const { last } = await store.readEnds(castId, (events) => events.some(isStart));
        last.forEach(hear);
      }
      isAsked = true;
      if (waiting.length === 0) appendAll(waiting, await turn.next());
      return waiting.shift();
    },
    close: turn.close,
  };
}

/** [V25] Every arrival of an item at a socket. Each item runs in its own cast. */
function followItemVisits({ store, castId, wake }: Pick<FollowedCast, "store" | "castId" | "wake">) {
  const items = followItemJournals({ store, wake });
  const unsent: string[] = [];
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
      unsent.push(encodeMessage({ kind: "item", data: { child, socket: visit.socket } }));
  };
  return {
    hear: (event: CastEvent): void => {
      if (event.type === "item_started") items.follow(event.child);
      if (event.type === "item_ended") items.unfollow(event.child);
      if (event.type === "cast_ended") items.close();
    },
    next: async (): Promise<string | undefined> => {
      if (!isAsked) await ask();
      if (unsent.length === 0) for (const child of items.children()) await look(child);
      return unsent.shift();
    },
    close: items.close,
  };
}
