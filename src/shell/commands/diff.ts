import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok, suggest, typed, type Result } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import {
  fileCountsText,
  omittedFilesText,
  castFileSpans,
  type CastFileSpans,
  type CheckpointSpan,
} from "../../core/view/file-changes.ts";
import { line, toned, type Line, type Tone } from "../../core/view/line.ts";
import { type Workspace, loadNamedCast } from "../workspace/workspace.ts";
import { diffText, listChanges, hasCommit } from "../git/diff.ts";
import type { FileChange } from "../../core/model/checkpoint.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { answer, type CommandResult } from "./command-output.ts";
import type { CastId } from "../../core/model/ids.ts";
import { findRepository, type Repository } from "../git/repository.ts";

/** [Y14] The changes between two checkpoints, from git's own diff. */
export async function runDiff(workspace: Workspace, command: CommandOf<"diff">): CommandResult {
  const tree = await loadCastFiles(workspace, command.castId);
  if (!tree.ok) return tree;
  const { castId, spans, repository } = tree.value;
  const span = command.place === undefined ? ok(spans.whole) : findSpan(tree.value, command.place);
  if (!span.ok) return span;
  const { from, to } = span.value;
  const between = { cwd: repository.top, from, to };
  const text = await diffText(between, { form: command.as });
  if (!text.ok) return failWith("git_failed", castId, `git cannot compare these checkpoints: ${text.problem}`);
  const files = await listChanges(between);
  const left = omittedFilesText(spans.left);
  const totals = totalChanges(files);
  const shown = text.bytes.toString("utf8");
  const { place, as } = command;
  const patch = as === "patch" ? shown : undefined;
  const data = { castId, from, to, ...totals, files, left: spans.left, ...withoutUndefined({ place, patch }) };
  const lines = () => [
    ...diffLines(shown, as),
    ...(as === "names" && files.length > 0 ? [line(toned("dim", fileCountsText(totals)))] : []),
    ...(files.length === 0 ? [line("No file was changed.")] : []),
    ...(left === "" ? [] : [line(toned("dim", `These checkpoints are${left}.`))]),
  ];
  return answer(data, lines, { piped: text.bytes });
}

/** [X62] `3 files, +12 −4`; nothing if no file changed or git cannot say it. */
export async function changeCountsText(workspace: Workspace, castId: string): Promise<string | undefined> {
  const tree = await loadCastFiles(workspace, castId);
  if (!tree.ok) return undefined;
  const { repository, spans } = tree.value;
  const files = await listChanges({ cwd: repository.top, from: spans.whole.from, to: spans.whole.to });
  return files.length === 0 ? undefined : fileCountsText(totalChanges(files));
}

/** A patch as git prints it, coloured by line; terminal control characters are made visible. */
function diffLines(text: string, as: CommandOf<"diff">["as"]): readonly Line[] {
  const lines = text.replace(/\n$/, "").split("\n");
  if (text === "") return [];
  let isHead = true;
  return lines.map((each) => {
    if (each.startsWith("diff --git ")) isHead = true;
    else if (each.startsWith("@@")) isHead = false;
    const tone = as === "patch" ? diffTone(each, isHead) : "plain";
    return line(toned(tone, sanitizeForTerminal(each)));
  });
}

function diffTone(text: string, isHead: boolean): Tone {
  if (isHead) return "strong";
  if (text.startsWith("@@")) return "accent";
  return text.startsWith("+") ? "ok" : text.startsWith("-") ? "bad" : "plain";
}

/** Counts files and lines; a binary file counts as a file only. */
export function totalChanges(files: readonly FileChange[]) {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { changed: files.length, added: sum("added"), removed: sum("removed") };
}

type StoredSpans = Extract<CastFileSpans, { kind: "kept" }>;

export interface StoredCastFiles {
  readonly castId: CastId;
  readonly spans: StoredSpans;
  readonly repository: Repository;
}

/** [Y14] Finds the repository with the checkpoints of a cast, or says what is missing. */
export async function loadCastFiles(
  { store, place, fleet }: Workspace,
  named: string | undefined,
): Promise<Result<StoredCastFiles>> {
  const cast = await loadNamedCast(store, named);
  if (!cast.ok) return cast;
  const { castId } = cast.value;
  const fetched = fleet ? await fleet.fetchCheckpoints(castId, place.cwd) : ok(undefined);
  if (!fetched.ok) return fetched;
  const spans = castFileSpans(cast.value.events);
  if (spans.kind === "none") {
    const message = `this cast has no checkpoints of its files: ${spans.problem ?? "checkpoints were off when it ran"}`;
    return failWith("missing_checkpoints", castId, message, "checkpoints need a git repository with a commit");
  }
  // A moved or copied project brings its checkpoints along. A project whose casts are stored elsewhere does not.
  for (const cwd of new Set([place.cwd, cast.value.file.cwd])) {
    const found = await findRepository(cwd);
    if (found.kind === "found" && (await hasCommit(cwd, spans.whole.to)))
      return ok({ castId, spans, repository: found.repository });
  }
  const hint = `they are in the repository where the cast ran: ${cast.value.file.cwd}`;
  const message = `the repository around ${place.cwd} has no checkpoints of this cast`;
  return failWith("checkpoint_deleted", castId, message, hint);
}

/** `Socket-4#2`, `Socket-4` for its last visit, `WI-2`, `loop/WI-2`. */
export function findSpan({ castId, spans }: StoredCastFiles, name: string): Result<CheckpointSpan> {
  const [socket, number] = name.split("#");
  const visit = spans.visits.findLast(
    (each) => each.socket === socket && (number === undefined || String(each.visit) === number),
  );
  if (visit) return ok(visit);
  const items = spans.items.filter(({ loop, key }) => name === key || name === `${loop}/${key}`);
  const [item, another] = items;
  if (item && !another) return ok(item);
  const message = item ? `${name} is an item of more than one loop` : `this cast has no visit or item "${name}"`;
  const names = item ? items.map(({ loop, key }) => `${loop}/${key}`) : suggestPlaces(spans);
  const hint = names.length === 0 ? suggest`${typed`show ${castId}`} shows what it did` : `one of ${names.join(", ")}`;
  return failWith("unknown_visit", name, message, hint);
}

const MAX_SUGGESTED = 12;

/** Visits that changed files come first: users look for them most. */
function suggestPlaces({ visits, items }: StoredSpans): readonly string[] {
  const changed = visits.filter(({ from, to }) => from !== to);
  const names = [
    ...(changed.length > 0 ? changed : visits).map(({ socket, visit }) => `${socket}#${visit}`),
    ...items.map(({ key }) => key),
  ];
  return [...new Set(names)].slice(0, MAX_SUGGESTED);
}
