import { createOwnCastRegistry } from "../config/own-casts.ts";
import { trustRecordedTest, TESTS_FOLDER } from "../testing/find-tests.ts";
import { failWith, suggest, typed, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { targetText, type CommandOf } from "../../core/command/command.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { printJson } from "../../core/edit/json-edit.ts";
import type { CastId } from "../../core/model/ids.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { readTurns, type ReplyWithTools } from "../../core/cast/transcript.ts";
import { recordTest } from "../../core/testing/record-test.ts";
import { foldVisits, visitKey } from "../../core/history/visits.ts";
import { line, toned } from "../../core/view/line.ts";
import type { RecordedTest } from "../../core/wire/catalog.ts";
import { itemCastIssue } from "../casting/resume-refusal.ts";
import { exitCodeFor } from "../casting/prepared-cast.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { projectConfigFile, userConfigFile } from "../config/config.ts";
import { findRepository } from "../git/repository.ts";
import { exportTree } from "../git/restore.ts";
import { createRedactor } from "../secrets/redact.ts";
import { readArtifactText, type CastStore, type LoadedCast } from "../store/cast-store.ts";
import { errorText } from "../system/files.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

/** [T19] Writes a test from a past cast. */
export async function runRecord(workspace: Workspace, command: CommandOf<"record">, from: string): CommandResult {
  const { store, place } = workspace;
  const cast = await loadNamedCast(store, command.castId);
  if (!cast.ok) return cast;
  const refusal = recordingIssue(cast.value);
  if (refusal) return fail(refusal);
  const { castId } = cast.value;
  const file = resolve(from, command.file ?? join(place.cwd, TESTS_FOLDER, `${castId}.json`));
  if (existsSync(file))
    return fail({ ...error("file_exists", "", "the file exists already and was not changed"), file });
  const seed = await prepareSeed(cast.value, workspace, {
    file,
    named: command.seed === undefined ? undefined : resolve(from, command.seed),
  });
  if (!seed.ok) return seed;
  const items = await readItemEvents(store, cast.value);
  const replies = await readReplies(store, new Map([[castId, cast.value.events], ...items]));
  const { folder, says } = seed.value;
  const { state } = cast.value;
  const test = recordTest({
    observed: {
      ...cast.value,
      exitCode: exitCodeFor({ kind: state.phase.kind === "waiting" ? "waiting" : "ended", state }),
    },
    cast: {
      ...testCastOf(cast.value),
      ...(folder === undefined ? {} : { seed: relative(dirname(file), folder) }),
      ...(startCommit(cast.value.events) === undefined ? {} : { git: true }),
    },
    tools: !command.noTools,
    items,
    repliesOf: (of, socket, visit) => replies.get(`${of} ${visitKey(socket, visit)}`) ?? [],
    ...testConfigOf(cast.value, workspace, file),
  });
  try {
    mkdirSync(dirname(file), { recursive: true });
    // [S12] Transcripts are redacted when they are written; this removes values that became secret since.
    writeFileSync(file, createRedactor(place.env)(`${printJson(test, "", 2)}\n`), { flag: "wx" });
  } catch (thrown) {
    return fail({ ...error("write_failed", "", `it cannot be written: ${errorText(thrown)}`), file });
  }
  if (createOwnCastRegistry(place.env).owns(cast.value.file)) trustRecordedTest(workspace, file);
  const shown = relative(from, file);
  const copied = folder === undefined || command.seed !== undefined ? "" : `, in ${relative(from, folder)}/`;
  const name = sanitizeForTerminal(shown);
  return answer({ castId, file, seed: folder ?? null } satisfies RecordedTest, () => [
    line("Wrote ", toned("strong", name), toned("dim", `  ${says}${sanitizeForTerminal(copied)}`)),
    line(toned("accent", `${place.program ?? "materia"} test ${name}`), toned("dim", "  runs it")),
  ]);
}

/** [T26] The events of its items' casts, in the order in which they started. */
async function readItemEvents(store: CastStore, { events }: LoadedCast) {
  const items = new Map<CastId, readonly CastEvent[]>();
  for (const event of events) {
    const child = event.type === "item_started" ? await store.load(event.child) : undefined;
    if (child?.ok) items.set(child.value.castId, child.value.events);
  }
  return items;
}

/** Only a cast that ended by itself can be run to the same end again. */
function recordingIssue({ castId, state, events, file: { window } }: LoadedCast): Issue | undefined {
  if (window) return itemCastIssue(castId, window.parent, "record");
  const { phase } = state;
  const isOver = phase.kind === "ended" || phase.kind === "waiting";
  if (!isOver || (phase.kind === "ended" && phase.outcome === "aborted")) {
    const hint = suggest`${typed`recast ${castId}`} continues it; ${typed`fork ${castId}`} and ${typed`replay ${castId}`} work with what it has done so far`;
    return error("cast_not_reproducible", castId, "this cast did not end by itself, and a test must", hint);
  }
  if (!events.some((event, at) => isLimitDecision(event, events[at - 1], state.graph))) return undefined;
  const hint = suggest`${typed`fork ${castId}`} continues from a visit, ${typed`replay ${castId}`} compares it with an edit`;
  return error("cast_not_reproducible", castId, "a person decided at a limit of this cast, and a test cannot", hint);
}

/** [R6] Decisions at limits: accepted as it was, or the item given up. */
function isLimitDecision(event: CastEvent, before: CastEvent | undefined, { sockets, materia }: Graph): boolean {
  if (event.type === "item_given_up") return before?.type === "cast_resumed";
  return event.type === "person_judged" && materia[sockets[event.socket]?.materia ?? ""]?.type !== "person";
}

function testCastOf({ file: { targets, request } }: LoadedCast) {
  const [only, ...others] = targets;
  const what =
    only?.kind === "loadout" && others.length === 0
      ? { loadout: only.name }
      : { link: targets.map(({ kind, name }) => targetText({ kind, name })) };
  return { ...what, request };
}

/** The configuration named with the command; the project's own needs no name. */
function testConfigOf({ file: { configFiles } }: LoadedCast, { place }: Workspace, file: string) {
  const own = new Set([projectConfigFile(place.cwd), userConfigFile(place.env)]);
  const named = configFiles.findLast((each) => !own.has(each));
  return named === undefined ? {} : { config: relative(dirname(file), named) };
}

async function readReplies(
  store: CastStore,
  casts: ReadonlyMap<CastId, readonly CastEvent[]>,
): Promise<ReadonlyMap<string, readonly ReplyWithTools[]>> {
  const found = new Map<string, readonly ReplyWithTools[]>();
  for (const [castId, events] of casts)
    for (const { socket, visit } of foldVisits(events)) {
      const text = await readArtifactText(store, castId, { socket, visit, name: TRANSCRIPT_FILE });
      if (text !== undefined) found.set(`${castId} ${visitKey(socket, visit)}`, readTurns(text).replies);
    }
  return found;
}

/** [T34] The named seed, otherwise the files at the start of the cast, otherwise nothing. */
async function prepareSeed(
  { events, file: cast }: LoadedCast,
  { place }: Workspace,
  { file, named }: { readonly file: string; readonly named: string | undefined },
): Promise<Result<{ readonly folder?: string; readonly says: string }>> {
  if (named !== undefined) return ok({ folder: named, says: "with the named seed" });
  const commit = startCommit(events);
  if (commit === undefined)
    return ok({ says: "without a seed: the cast has no checkpoint of its first files (name them with --seed DIR)" });
  const folder = file.replace(/\.jsonc?$/, "") + ".seed";
  for (const cwd of new Set([place.cwd, cast.cwd])) {
    const repository = await findRepository(cwd);
    if (repository.kind !== "found") continue;
    const problem = await exportTree(repository.repository, commit, folder);
    return problem === undefined
      ? ok({ folder, says: "with the files at its start" })
      : failWith("write_failed", folder, `the seed cannot be written: ${problem}`, "name one with --seed DIR");
  }
  return ok({ says: "without a seed: the checkpoints of this cast are missing (name a seed with --seed DIR)" });
}

function startCommit([first]: readonly CastEvent[]): string | undefined {
  return first?.type === "cast_started" && first.files && "commit" in first.files ? first.files.commit : undefined;
}
