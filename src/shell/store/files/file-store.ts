import { suggest, typed, error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { readdirSync, watch as watchSystem } from "node:fs";
import { isFromThisBoot } from "../../process/process-identity.ts";
import { parentCastId, parseCastId, type CastId } from "../../../core/model/ids.ts";
import { createFolderWatcher, type FolderWatcher, everySecond } from "../../system/folder-watcher.ts";
import { namesIn } from "../../system/folders.ts";
import { isMissingFile, errorText, valueOr } from "../../system/files.ts";
import type { CastStore, OwnedCast, Subscription, TranscriptUpdate, VisitRef, WriteOptions } from "../cast-store.ts";
import { startedSummary, sufficesForSummary, notStartedSummary } from "../summary.ts";
import { followEvents, followTranscript } from "./follow.ts";
import { readJournalEnds } from "./journal-ends.ts";
import { layoutInFolder, castLayout, type CastLayout } from "../layout.ts";
import { OWNER_TIMEOUT_MS, claimCast, currentOwner, type ClaimOutcome } from "./claims.ts";
import { readFileRange } from "./artifacts.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { ownTranscriptLines, parseTranscriptLine } from "../../../core/cast/transcript.ts";
import { type AgentProgress, createTranscriptProgress } from "../../../core/wire/stream.ts";

/** Loaded when a cast is read or written: a list needs neither. */
const reading = () => (readModule ??= import("./read-cast.ts"));
let readModule: Promise<typeof import("./read-cast.ts")> | undefined;
const writing = () => import("./owned-cast.ts");
const folders = () => import("./cast-folders.ts");

export function fileStore(root: string, { watch = sharedWatcher }: { readonly watch?: FolderWatcher } = {}): CastStore {
  // One cast is read after another: names are composed once for each.
  let latest: { readonly castId: CastId; readonly layout: CastLayout } | undefined;
  const at = (castId: CastId): CastLayout => {
    if (latest?.castId !== castId) latest = { castId, layout: castLayout(root, castId) };
    return latest.layout;
  };
  const summary = (castId: CastId): Promise<CastSummary | undefined> => summaryOf(at(castId), castId);
  return {
    location: root,
    locationOf: (castId) => at(castId).folder,
    find: async (text) => (await reading()).findCast(root, text),
    listIds: async () => listCastIds(root),
    summary,
    list: () => listSummaries(root, summary),
    owner: async (castId) => valueOr(() => currentOwner(at(castId)), undefined),
    stamp: async (castId) => (await reading()).castFileStamp(at(castId)),
    readCastFile: async (castId) => (await reading()).readCastFile(at(castId)),
    current: async (castId) => (await reading()).readCurrentCast(root, at(castId), castId),
    load: async (castId) => (await reading()).loadCast(root, at(castId), castId),
    fold: async (castId, folding) => (await reading()).foldCast(at(castId), castId, folding),
    readEnds: async (castId, enough) => readJournalEnds(at(castId).journal, enough),
    readArtifact: async (castId, { socket, visit, name }, part = {}) =>
      readFileRange(at(castId).folder, at(castId).visitFile(socket, visit, name), part),
    readValue: async (castId, digest) => {
      // The text comes from a file that anybody may have planted; only a digest may become a file name.
      if (!/^[0-9a-f]{32}$/.test(digest)) return undefined;
      const { folder, value } = at(castId);
      return (
        readFileText(at(parentCastId(castId) ?? castId).folder, value(digest)) ??
        readFileText(folder, layoutInFolder(folder).value(digest))
      );
    },
    readAttachment: async (castId, name) => readFileText(at(castId).folder, at(castId).attachment(name)),
    lastVisit: async (castId, socket) => {
      const visits = namesIn(at(castId).socketFolder(socket)).filter((name) => /^\d+$/.test(name));
      return visits.map(Number).reduce((last, visit) => Math.max(last, visit), 0);
    },
    create: async (cast, how) => (await folders()).createCast(root, cast, how),
    claim: (castId, how) => claimOwnedCast(root, castId, how),
    requestAbort: async (castId) => (await writing()).writeRequest(at(castId).abortRequest),
    requestRelease: async (castId) => (await writing()).writeRequest(at(castId).releaseRequest),
    remove: async (casts) => (await folders()).removeCasts(root, casts),
    followEvents: (castId, after, wake) => followEvents(at(castId), castId, { after, wake, watch }),
    followTranscript: (castId, visit, wake) => followTranscript(at(castId), visit, { wake, watch }),
    followTurn: (castId, visit, wake) =>
      followTranscriptTurn(visit, followTranscript(at(castId), visit, { wake, watch })),
    onListChange: (listener) => watch.onChange(root, listener),
    onCastChange: (castId, listener) => watch.onChange(at(castId).folder, listener),
    onOwnerChange: (castId, listener) => watch.onChange(at(castId).owner, listener),
  };
}

async function listSummaries(root: string, summary: CastStore["summary"]): ReturnType<CastStore["list"]> {
  const ids = listCastIds(root);
  if (!ids.ok) return ids;
  const casts: CastSummary[] = [];
  for (const castId of ids.value) {
    const found = await summary(castId);
    if (found) casts.push(found);
  }
  return ok(casts);
}

function readFileText(folder: string, file: string): string | undefined {
  const part = readFileRange(folder, file, {});
  return part && Buffer.from(part.bytes).toString("utf8");
}

/** One system watch for each folder in this process, shared by all stores. */
export const sharedWatcher: FolderWatcher = createFolderWatcher({ watch: watchSystem, everySecond });

/** Newest first; ids sort by time. */
function listCastIds(root: string): Result<readonly CastId[]> {
  try {
    const names = readdirSync(root);
    const ids = names.flatMap((name) => parseCastId(name) ?? []);
    return ok(ids.toSorted().toReversed());
  } catch (thrown) {
    if (isMissingFile(thrown)) return ok([]);
    return fail({ ...error("unreadable_file", root, `cannot list the casts: ${errorText(thrown)}`), file: root });
  }
}

/** The row of a cast in a listing, from both ends of its journal: the middle may be long. */
async function summaryOf(layout: CastLayout, castId: CastId): Promise<CastSummary | undefined> {
  const ends = readJournalEnds(layout.journal, sufficesForSummary);
  const isOwned = async (): Promise<boolean> => valueOr(() => currentOwner(layout), undefined) !== undefined;
  if (ends.first?.type === "cast_started") return startedSummary(castId, ends, isOwned);
  // One look decides: another process may write the first event now.
  if (!ends.isEmpty) return undefined;
  const file = (await reading()).readCastFile(layout);
  return file.ok ? notStartedSummary(file.value, await isOwned()) : undefined;
}

async function claimOwnedCast(root: string, castId: CastId, writeOptions: WriteOptions): Promise<Result<OwnedCast>> {
  const layout = castLayout(root, castId);
  const { createOwnedCast } = await writing();
  const removed = (await folders()).removedFolder(root, castId);
  const mine = await claimCast(layout);
  if (mine.kind !== "mine") return fail(claimIssue(castId, mine));
  return ok(createOwnedCast({ castId, layout, removed, claim: mine, writeOptions }));
}

/** [J22, D16] Why a cast could not be claimed. */
function claimIssue(castId: string, claimed: Exclude<ClaimOutcome, { kind: "mine" }>): Issue {
  if (claimed.kind === "failed") return error("write_failed", castId, claimed.problem);
  const hint = suggest`stop it with ${typed`abort ${castId}`}, or wait for it`;
  const { owner } = claimed;
  if (!owner) return error("cast_owned", castId, "another process runs this cast", hint);
  const remote = isFromThisBoot(owner)
    ? ""
    : `; it is out of sight from here, and counts as gone ${OWNER_TIMEOUT_MS / 60_000} minutes after its last sign of life`;
  return error("cast_owned", castId, `process ${owner.pid} on ${owner.host} runs this cast${remote}`, hint);
}

export function followTranscriptTurn(
  visit: VisitRef,
  transcript: Subscription<TranscriptUpdate>,
): Subscription<readonly AgentProgress[]> {
  const progressOf = createTranscriptProgress(visit);
  return {
    next: async () => {
      const first = await transcript.next();
      // A restart only says that the transcript is read from its start.
      const update = first.kind === "restarted" ? await transcript.next() : first;
      return ownTranscriptLines(update.kind === "lines" ? update.lines : []).flatMap((line) => {
        const message = parseTranscriptLine(line);
        return message ? progressOf(message) : [];
      });
    },
    close: transcript.close,
  };
}
