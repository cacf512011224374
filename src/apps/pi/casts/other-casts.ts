import { setTimeout as delay } from "node:timers/promises";
import { castStatus, type CastSummary } from "../../../core/cast/summary.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { oneLine } from "../../../core/model/text.ts";
import { needsPersonNow, statusSymbol, statusText } from "../../../core/view/cast-list.ts";
import { indexFolder } from "../../../shell/config/cast-index.ts";
import { listInbox, markLookedAt } from "../../../shell/workspace/inbox.ts";
import { sharedWatcher } from "../../../shell/store/files/file-store.ts";
import { changeCountsText } from "../../../shell/commands/diff.ts";
import { watchCast } from "../../../shell/casting/watch-cast.ts";
import type { RunOutcome } from "../../../shell/context/run-context.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import { castResultOf, storedResult } from "../screen/result-card.ts";
import { createScreen, NEWS_KEY, notifyPerson, restoreTitle } from "../screen/screen.ts";
import { resolveProject } from "../session/project.ts";
import {
  runUnlessReplaced,
  runUnlessReplacedAsync,
  type SeenCasts,
  type SessionCasts,
  type UserSession,
} from "../session/user-session.ts";

const MAX_CASTS_CHECKED = 20;
const MAX_CASTS_NAMED = 3;

const ANNOUNCE_DELAY_MS = 250;

/** [X27, X60] After Pi has started: one line about unfinished casts of this project, and news of those that others run. The returned function stops it. */
export function watchProjectCasts(user: UserSession, session: SessionCasts): () => void {
  const over = new AbortController();
  const { signal } = over;
  // If the greeting fails, say nothing.
  const quietly = (follow: () => Promise<void>): void => void runUnlessReplacedAsync(follow).catch(() => undefined);
  const start = (): void => {
    quietly(() => greetAndFollow(user, session, over));
    quietly(() => showInboxCount(user, signal));
  };
  const timer = setTimeout(start, ANNOUNCE_DELAY_MS).unref();
  onAbort(signal, () => clearTimeout(timer));
  return () => over.abort();
}

function onAbort(signal: AbortSignal, stop: () => void): void {
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
}

/** [X27] The newest unfinished casts, but those of this session, each with the command that continues it. */
async function unfinishedCastsText(store: CastStore, own: Pick<SeenCasts, "has">): Promise<string | undefined> {
  const casts = await Promise.all((await newestCasts(store)).map(store.summary));
  // Only now: this session may have started one of them since.
  const left = casts.flatMap((cast) => (cast && !own.has(cast.castId) ? castSentences(cast) : []));
  if (left.length === 0) return undefined;
  const more = left.length > MAX_CASTS_NAMED ? [`${left.length - MAX_CASTS_NAMED} more: /materia casts`] : [];
  return [...left.slice(0, MAX_CASTS_NAMED), ...more].join("\n");
}

function castSentences({ castId, status, request }: CastSummary): readonly string[] {
  const what = `The cast “${oneLine(request, 60)}”`;
  if (status === "waiting") return [`${what} waits for you: /materia continue ${castId}`];
  if (status === "interrupted") return [`${what} was interrupted: /materia recast ${castId} continues it`];
  if (status === "running") return [`${what} runs in another process: /materia watch ${castId}`];
  return [];
}

export async function newestCasts(store: CastStore): Promise<readonly CastId[]> {
  const ids = await store.listIds();
  return ids.ok ? ids.value.slice(0, MAX_CASTS_CHECKED) : [];
}

/** [X27, X60] Names unfinished casts, then says when a cast that this session does not show ends or waits. */
async function greetAndFollow(user: UserSession, session: SessionCasts, over: AbortController): Promise<void> {
  const place = resolveProject(user.ctx, {});
  if (!place.ok) return;
  const { workspace } = place.value;
  const { store } = workspace;
  const { seen } = session;
  const { signal } = over;
  const followed = new Set<CastId>();
  const look = async (): Promise<void> => {
    if (runUnlessReplaced(() => user.ctx.mode) === undefined) return over.abort();
    for (const castId of await newestCasts(store)) {
      if (signal.aborted || followed.has(castId)) continue;
      followed.add(castId);
      followCast({ ...session, user, workspace }, castId, signal);
    }
  };
  // What had ended before is no news.
  const before = (await newestCasts(store)).map(
    async (castId) => [castId, await lastEventNumber(store, castId)] as const,
  );
  const past = await Promise.all(before);
  const text = await unfinishedCastsText(store, seen);
  if (text !== undefined) runUnlessReplaced(() => user.ctx.ui.notify(text, "info"));
  for (const [castId, seq] of past) if (!seen.has(castId)) seen.set(castId, seq);
  onAbort(
    signal,
    store.onListChange(() => void look().catch(() => undefined)),
  );
  await look();
}

interface FollowedProject extends SessionCasts {
  readonly user: UserSession;
  readonly workspace: Workspace;
}

const INBOX_KEY = "materia-inbox";

const COUNT_DELAY_MS = 200;
let counting: Promise<number> | undefined;

/** One listing serves all sessions of this process, and all changes of a moment: a cast that ends makes several. */
function countWaiting(): Promise<number> {
  counting ??= delay(COUNT_DELAY_MS, undefined, { ref: false }).then(async () => {
    counting = undefined;
    return (await listInbox(process.env)).filter(needsPersonNow).length;
  });
  return counting;
}

/** [YI6] How many casts of all projects wait for a person, in the status line. */
async function showInboxCount({ ctx }: UserSession, signal: AbortSignal): Promise<void> {
  let shown = 0;
  const show = async (): Promise<void> => {
    const count = await countWaiting();
    if (count === shown) return;
    shown = count;
    runUnlessReplaced(() => ctx.ui.setStatus(INBOX_KEY, count === 0 ? undefined : `[materia inbox: ${count}]`));
  };
  onAbort(
    signal,
    sharedWatcher.onChange(indexFolder(process.env), () => void show().catch(() => undefined)),
  );
  await show();
}

const HANDOVER_MS = 10_000;

/** Reads a cast only after its folder has changed, and only if it has news. */
function followCast(project: FollowedProject, castId: CastId, signal: AbortSignal): void {
  const { user, workspace, seen, onContinued } = project;
  const { store } = workspace;
  let [isReading, isStale, hasNews] = [false, false, false];
  let pending: NodeJS.Timeout | undefined;
  const goesOn = (): void => {
    clearTimeout(pending);
    onContinued(castId);
    if (hasNews) restoreTitle(user.ctx);
    hasNews = false;
  };
  const isSeen = (seq: number): boolean => seq <= (seen.get(castId) ?? 0);
  const tell = async (end: RunOutcome): Promise<void> => {
    if (signal.aborted || isSeen(end.state.seq)) return;
    seen.set(castId, end.state.seq);
    hasNews = true;
    await showCastNews(user, workspace, end);
  };
  const read = async (): Promise<void> => {
    const isDriven = (await store.owner(castId)) !== undefined;
    if (isSeen(Infinity) || (!isDriven && isSeen(await lastEventNumber(store, castId)))) return;
    const cast = await store.load(castId);
    if (!cast.ok) return;
    // Without another event only the end of its process is news.
    const status = castStatus(cast.value.state, isDriven);
    if (status === "running" && isSeen(cast.value.state.seq)) seen.set(castId, cast.value.state.seq - 1);
    if (!isSeen(cast.value.state.seq)) goesOn();
    const end = await watchCast(store, cast.value, { signal, onSteps: goesOn });
    if (!end.ok) return;
    // A detached cast has no process until the new one has started.
    if (end.value.kind !== "paused") return tell(end.value);
    pending = setTimeout(() => void tell(end.value).catch(() => undefined), HANDOVER_MS).unref();
  };
  const changed = (): void => {
    isStale = true;
    // [X60] Shown here already: do not read along.
    if (isReading || isSeen(Infinity)) return;
    isReading = true;
    void (async () => {
      while (isStale && !signal.aborted) {
        isStale = false;
        await read().catch(() => undefined);
      }
      isReading = false;
    })();
  };
  onAbort(signal, store.onCastChange(castId, changed));
  changed();
}

async function lastEventNumber(store: CastStore, castId: CastId): Promise<number> {
  const { last } = await store.readEnds(castId, (events) => events.length > 0);
  return last.at(-1)?.seq ?? 0;
}

/** [X60] A card, the status line and the bell about a cast that another process ran; no model reads it. */
async function showCastNews(user: UserSession, workspace: Workspace, end: RunOutcome): Promise<void> {
  const { store, catalog } = workspace;
  const { castId, request } = end.state;
  const cast = await store.load(castId);
  const place = { runDir: store.locationOf(castId), change: await changeCountsText(workspace, castId) };
  const { card, plainText } = castResultOf(end, { ...place, asks: true, ...(cast.ok ? storedResult(cast.value) : {}) });
  const screen = createScreen(user);
  if (user.ctx.mode === "tui") screen.addVisitCard(card);
  else screen.note(plainText);
  const status = castStatus(end.state, false);
  // [YI4] A question stays until somebody answers it.
  if (status !== "waiting") await markLookedAt(workspace, castId);
  const words = `${statusText(status)}: ${oneLine(request, 40)}`;
  // The line has room for others in 60 columns.
  user.ctx.ui.setStatus(NEWS_KEY, `${statusSymbol(status).text} materia · ${oneLine(words, 32)}`);
  const off = user.pi.on("input", () => {
    off();
    restoreTitle(user.ctx);
  });
  if (catalog.settings.notify) notifyPerson(user.ctx, words);
}
