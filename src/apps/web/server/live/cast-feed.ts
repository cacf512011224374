import type { CastEvent, EventOf } from "../../../../core/cast/state/event.ts";
import type { AgentProgress } from "../../../../core/wire/stream.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import { createProgressQueue } from "../../../../shell/casting/live/note-queue.ts";
import type { FleetClient } from "../../../../shell/casting/workspace/on-fleet.ts";
import type { CastStore } from "../../../../shell/store/cast-store.ts";
import type { EventFeed } from "../http/stream.ts";
import { followItemVisits } from "./items.ts";
import type { LiveSources } from "./live.ts";
import { encodeMessage, encodeJournalLine } from "./say.ts";
import { openTranscriptProgress, type TranscriptProgressReader } from "./transcript.ts";

/** One cast that is listened to. */
export interface FollowedCast {
  readonly store: CastStore;
  readonly castId: CastId;
  readonly live: LiveSources;
  readonly wake: () => void;
  /** Set where it is a cast of a fleet. */
  readonly fleet?: FleetClient;
}

/** [N11, N12, N13] The events of a cast behind `after`, then each new one, with what its agents do meanwhile. */
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
 * Whether somebody drives the cast. A killed process leaves no mark: only looking tells, and only while one is said to live.
 * On a fleet the other workers notice, and say so.
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

/** Where another process drives the cast, its agents are heard through the transcript of the visit in hand. */
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
      // Not before it is asked for: of all the visits of a long journal only the last is worth a watch.
      open ??= openTranscriptProgress(visit, store.followTranscript(castId, visit, wake));
      return open.next();
    },
    close: leave,
  };
}

/** [B27] Where a worker drives the cast, it says what its agent does. */
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
