import type { CastSummary } from "../../../../core/view/casts.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import type { CastStore } from "../../../../shell/store/cast-store.ts";
import type { Feed } from "../http/stream.ts";
import type { Live } from "./live.ts";
import { say } from "./say.ts";

/** Older casts than these are listed, but who resumes one of them is not heard. */
const MOST_WATCHED = 2_000;

/** [N10] Every cast once, newest first, then each one that appears, changes or goes. */
export function castsFeed(
  store: CastStore,
  live: Live,
  wake: () => void,
  mark: (cast: CastSummary) => Promise<CastSummary>,
): Feed {
  const said = new Map<CastId, string>();
  const watched = new Map<CastId, () => void>();
  const changed = new Set<CastId>();
  let rootChanged = true;
  let isReady = false;
  const pulse = foreignPulse(live, (castId) => {
    changed.add(castId);
    wake();
  });
  const stopRoot = store.onListChange(() => {
    rootChanged = true;
    wake();
  });
  const hear = (castId: CastId): void => {
    changed.add(castId);
    if (watched.has(castId) || watched.size >= MOST_WATCHED) return;
    const listener = (): void => {
      changed.add(castId);
      wake();
    };
    watched.set(castId, store.onCastChange(castId, listener));
  };
  const forget = (castId: CastId): void => {
    watched.get(castId)?.();
    watched.delete(castId);
    changed.delete(castId);
    pulse.set(castId, false);
  };
  const lookAtRoot = async (): Promise<string | undefined> => {
    rootChanged = false;
    const listed = await store.ids();
    const ids = listed.ok ? listed.value : [];
    const there = new Set(ids);
    for (const castId of ids) if (!watched.has(castId) && !said.has(castId)) hear(castId);
    const gone = [...said.keys()].filter((castId) => !there.has(castId));
    for (const castId of gone) {
      forget(castId);
      said.delete(castId);
    }
    return gone.length === 0 ? undefined : gone.map((castId) => say({ kind: "gone", data: { castId } })).join("");
  };
  const lookAt = async (castId: CastId): Promise<string | undefined> => {
    changed.delete(castId);
    const summary = await store.summary(castId);
    if (!summary) return undefined;
    pulse.set(castId, summary.status === "running" && !live.runs.isHere(castId));
    const message = say({ kind: "cast", data: await mark(summary) });
    if (said.get(castId) === message) return undefined;
    said.set(castId, message);
    return message;
  };
  return {
    next: async () => {
      if (rootChanged) {
        const gone = await lookAtRoot();
        if (gone !== undefined) return gone;
      }
      for (const castId of changed) {
        const news = await lookAt(castId);
        if (news !== undefined) return news;
      }
      if (isReady) return undefined;
      isReady = true;
      return say({ kind: "ready", data: {} });
    },
    isOver: () => false,
    close: () => {
      stopRoot();
      pulse.close();
      for (const stop of watched.values()) stop();
    },
  };
}

/** A killed process leaves no mark: casts of others that are said to run are looked at each second, and no other. */
function foreignPulse(live: Live, look: (castId: CastId) => void) {
  const running = new Set<CastId>();
  let stop: (() => void) | undefined;
  const close = (): void => {
    stop?.();
    stop = undefined;
  };
  return {
    set: (castId: CastId, runs: boolean): void => {
      if (runs) running.add(castId);
      else running.delete(castId);
      if (running.size === 0) return close();
      stop ??= live.everySecond(() => running.forEach((each) => look(each)));
      return undefined;
    },
    close,
  };
}
