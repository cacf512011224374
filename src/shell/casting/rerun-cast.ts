import type { Catalog } from "../../core/catalog/catalog.ts";
import type { CastStart } from "../../core/cast/state/state.ts";
import type { TargetRef } from "../../core/command/command.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { Graph, socketsOf } from "../../core/compile/graph.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { fail, failAll, failWith, ok, withHintParts, type Issue, type Result } from "../../core/model/issue.ts";
import { foldVisits, visitKey } from "../../core/history/visits.ts";
import type { RecordedCast } from "../../core/replay/differences.ts";
import { replyContract } from "../../core/replay/replay.ts";
import { readTranscript } from "../agents/transcript.ts";
import { castStartOf, type CastFile } from "../store/cast-file.ts";
import { readArtifactText, type CastStore, type LoadedCast, type VisitRef } from "../store/cast-store.ts";
import * as v from "valibot";
import type { Workspace } from "../workspace/workspace.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

export type CompileGraph = (targets: readonly TargetRef[]) => Result<Graph>;

export function createGraphCompiler(catalog: Catalog): CompileGraph {
  const graphs = new Map<string, Result<Graph>>();
  return (targets) => {
    const key = JSON.stringify(targets);
    const compiled = graphs.has(key) ? undefined : compileTargets(targets, catalog);
    const graph = graphs.get(key) ?? (compiled?.ok ? ok(compiled.value.graph) : failAll(compiled?.issues ?? []));
    graphs.set(key, graph);
    return graph;
  };
}

/** The targets of a cast, or another loadout, in the present configuration. */
export function compileAgain<T>(
  file: CastFile,
  loadout: string | undefined,
  compile: (targets: readonly TargetRef[]) => Result<T>,
): Result<T> {
  const targets = loadout === undefined ? file.targets : [{ kind: "loadout" as const, name: loadout }];
  if (targets.length === 0)
    return failWith("cast_without_loadout", file.castId, "this cast has no loadout", "name one with --loadout");
  const compiled = compile(targets.map(({ kind, name }) => ({ kind, name })));
  return compiled.ok ? compiled : fail(...compiled.issues.map((issue) => withConfigHint(issue, file)));
}

export function startWithCurrentConfig(
  file: CastFile,
  loadout: string | undefined,
  { compile, catalog }: { readonly compile: CompileGraph; readonly catalog: Catalog },
): Result<CastStart> {
  const graph = compileAgain(file, loadout, compile);
  if (!graph.ok) return graph;
  return ok({ ...castStartOf(file), graph: graph.value, limits: catalog.settings.limits });
}

/** A target may be missing because the cast was started with --config. */
function withConfigHint(issue: Issue, { command, configFiles }: CastFile): Issue {
  const named = command.includes(" --config ") ? configFiles.at(-1) : undefined;
  if (issue.code !== "unknown_target" || named === undefined) return issue;
  const rest = issue.hintParts ?? (issue.hint === undefined ? [] : [issue.hint]);
  return withHintParts(issue, [`add --config ${quoteWord(named)}, with which the cast was started; `, ...rest]);
}

/** [T14, T51] The recorded cast and its items, with the replies of visits whose contract has changed. */
export async function loadRecordedCast(
  store: CastStore,
  { castId, file, events }: LoadedCast,
  now: Graph,
): Promise<RecordedCast> {
  const start = castStartOf(file);
  const others = new Set<string>();
  for (const socket of socketsOf(now)) {
    const before = Object.hasOwn(start.graph.sockets, socket.id) ? start.graph.sockets[socket.id] : undefined;
    if (before && replyContract(start.graph, before) !== replyContract(now, socket)) others.add(socket.id);
  }
  const raw = new Map<string, readonly string[]>();
  for (const { socket, visit } of others.size === 0 ? [] : foldVisits(events)) {
    if (!others.has(socket)) continue;
    const replies = await readReplies(store, castId, { socket, visit });
    if (replies) raw.set(visitKey(socket, visit), replies);
  }
  const items: RecordedCast[] = [];
  for (const event of events) {
    const item = event.type === "item_started" ? await store.load(event.child) : undefined;
    if (item?.ok) items.push(await loadRecordedCast(store, item.value, now));
  }
  return { start, events, items, rawReplies: (socket, visit) => raw.get(visitKey(socket, visit)) };
}

async function readReplies(
  store: CastStore,
  castId: LoadedCast["castId"],
  at: VisitRef,
): Promise<readonly string[] | undefined> {
  const transcript = await readArtifactText(store, castId, { ...at, name: TRANSCRIPT_FILE });
  if (transcript !== undefined) return readTranscript(transcript).replies.map(({ text }) => text);
  const stdout = await readArtifactText(store, castId, { ...at, name: "stdout.txt" });
  return stdout === undefined ? undefined : [stdout];
}

/** [C40] Tells the person that a resumed cast keeps the graph it was started with, despite later edits. */
export function resumedGraphNote({ catalog }: Workspace, { castId, graph, targets }: CastFile): string {
  const note = "it goes on with the graph as it was started";
  if (targets.length === 0) return note;
  const refs = targets.map(({ kind, name }) => ({ kind, name }));
  const now = compileTargets(refs, catalog);
  if (!now.ok) return `${note}; as it is configured now it could not be started`;
  if (normalizedGraphText(now.value.graph) === normalizedGraphText(graph)) return note;
  return `${note}, which has been edited since: "materia recast ${castId} --edited" continues it as it is now, "materia fork ${castId}@<visit>" from any visit`;
}

function normalizedGraphText(graph: Graph): string {
  return JSON.stringify(v.parse(Graph, JSON.parse(JSON.stringify(graph))));
}
