import { existsSync } from "node:fs";
import type { Command } from "../../core/command/command.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { startState } from "../../core/cast/state/state.ts";
import { stepFrom } from "../../core/cast/step.ts";
import { ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/values/never.ts";
import { harmless } from "../../core/model/values/text.ts";
import { itemLines } from "../../core/view/items/lines.ts";
import { itemRows } from "../../core/view/items/rows.ts";
import type { ItemRows } from "../../core/view/items/rows.ts";
import { boardLines, boardOf } from "../../core/view/now/board.ts";
import { castLines } from "../../core/view/casts.ts";
import { follow, startTrail } from "../../core/view/now/trail.ts";
import { storyLines } from "../../core/view/tell/story.ts";
import { line, toned } from "../../core/view/text/line.ts";
import type { Line } from "../../core/view/text/line.ts";
import { ownCasts } from "../config/own/own-casts.ts";
import { foreignIssue, foreignMarker } from "../casting/workspace/foreign.ts";
import { raiseBudget } from "../casting/budget.ts";
import { castNamed } from "../casting/workspace/named-cast.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import { startOf } from "../store/cast-file.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore } from "../store/cast-store.ts";
import { removeRefs } from "../git/cast-ref.ts";
import { prunable } from "../store/prunable.ts";
import type { Answer } from "./answer/answer.ts";

type CastsCommand = Extract<Command, { kind: "casts" | "prune" | "status" | "show" | "budget" }>;

/** Looking at casts, from any process, without disturbing the one that runs them. */
export async function lookAtCasts(command: CastsCommand, workspace: Workspace): Promise<Result<Answer>> {
  switch (command.kind) {
    case "casts":
      return list(workspace);
    case "prune":
      return prune(workspace, command);
    case "status":
      return status(workspace, command.castId);
    case "show":
      return show(workspace, command.castId);
    case "budget":
      return budget(workspace, command);
    default:
      return never(command);
  }
}

async function list(workspace: Workspace): Promise<Result<Answer>> {
  const { store } = workspace;
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = await Promise.all(listed.value.map(foreignMarker(workspace)));
  const none = line(
    `No casts yet under ${harmless(store.place)}. Start one with "materia cast <prompt>", or see "materia demo".`,
  );
  const lines: Answer["lines"] = (width) =>
    casts.length === 0 ? [none] : castLines(casts, { now: Date.now(), width });
  return ok({ code: 0, data: casts, lines });
}

async function status(workspace: Workspace, named: string | undefined): Promise<Result<Answer>> {
  const { store } = workspace;
  const id = await castNamed(store, named);
  if (!id.ok) return id;
  // Followed, not kept: a cast may have more events than there is memory.
  const cast = await store.fold(id.value, {
    begin: (file) => startTrail(startState(startOf(file))),
    step: (trail, event) => follow(trail, stepFrom(trail.state, event)),
  });
  if (!cast.ok) return cast;
  const { file, value: trail } = cast.value;
  const alive = (await store.owner(id.value)) !== undefined;
  const board = boardOf(trail, { now: Date.now(), alive, lineage: lineageOf(file) });
  const summary = await store.summary(id.value);
  return ok({
    code: 0,
    data: { ...summary, ...board, runDir: store.placeOf(id.value), ...foreignMark(workspace, file) },
    lines: (width) => [...boardLines(board, width), ...foreignLines(workspace, file)],
  });
}

function lineageOf({ targets, fromCastId }: CastFile) {
  return { targets: targets.map((target) => target.name), fromCastId };
}

/** [S10] Looked at freely, and said to be what it is. */
function foreignMark(workspace: Workspace, file: CastFile): { readonly foreign?: true } {
  return foreignIssue(workspace, file) ? { foreign: true } : {};
}

function foreignLines(workspace: Workspace, file: CastFile): readonly Line[] {
  const issue = foreignIssue(workspace, file);
  return issue ? [line(toned("rework", `Foreign: ${harmless(issue.message)}.`))] : [];
}

/** [C27] A cast that ends in the middle is not a riddle. */
function salvagedLines({ salvaged }: CastFile): readonly Line[] {
  if (!salvaged) return [];
  const count = `${salvaged.events} ${salvaged.events === 1 ? "line" : "lines"}`;
  return [line(toned("rework", `Salvaged from ${salvaged.from}, which was damaged: its first ${count}.`))];
}

/** [T20] What a fork shares with another cast was paid for there. */
function forkedLines([first]: readonly CastEvent[]): readonly Line[] {
  if (first?.type !== "cast_started" || !first.forkedFrom) return [];
  const { castId, visit } = first.forkedFrom;
  return [line(toned("dim", `Forked from ${castId}: everything before ${visit} was done there.`))];
}

async function show(workspace: Workspace, named: string | undefined): Promise<Result<Answer>> {
  const { store } = workspace;
  const id = await castNamed(store, named);
  if (!id.ok) return id;
  const cast = await store.load(id.value);
  if (!cast.ok) return cast;
  const { file, events, tornBytes } = cast.value;
  const { command, targets, fromCastId } = file;
  const mark = foreignMark(workspace, file);
  const items = itemRows(id.value, events);
  const data = {
    ...(await store.summary(id.value)),
    ...mark,
    command,
    targets,
    fromCastId,
    ...(items.rows.length === 0 ? {} : { items: items.rows, unjoined: items.waiting }),
    events,
  };
  const cutOff = `The journal ends in a line that was cut off (${tornBytes} bytes); a resume removes it.`;
  const alive = (await store.owner(id.value)) !== undefined;
  const now = Date.now();
  const trees = await treesOf(store, items);
  const lines: Answer["lines"] = (width) => [
    ...storyLines(startOf(file), events, { width: Math.min(width, 120), alive, now, lineage: lineageOf(file) }),
    ...itemLines(items, { alive, width: Math.min(width, 160), trees }),
    ...foreignLines(workspace, file),
    ...salvagedLines(file),
    ...forkedLines(events),
    line(toned("dim", `Files: ${harmless(store.placeOf(id.value))}`)),
    ...(tornBytes > 0 ? [line(toned("rework", cutOff))] : []),
  ];
  return ok({ code: 0, data, lines });
}

/** [V21] Of an item that stopped in the middle the work lies in its tree alone. */
async function treesOf(store: CastStore, { rows }: ItemRows): Promise<ReadonlyMap<string, string>> {
  const trees = new Map<string, string>();
  for (const { child, status } of rows) {
    if (status !== "failed" && status !== "running") continue;
    const file = await store.describe(child);
    if (file.ok && existsSync(file.value.cwd)) trees.set(child, file.value.cwd);
  }
  return trees;
}

async function prune(
  { store, place }: Workspace,
  command: Extract<Command, { kind: "prune" }>,
): Promise<Result<Answer>> {
  const now = Date.now();
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = prunable(listed.value, command, now);
  const ids = casts.map(({ castId }) => castId);
  const removed = command.yes ? await store.remove(ids) : ok(ids);
  if (!removed.ok) return removed;
  // [S11] The marks of those that are gone.
  const own = ownCasts(place.env);
  if (command.yes) {
    removed.value.forEach((castId) => own.forget(castId));
    await removeRefs(place.cwd, removed.value);
  }
  const count = removed.value.length;
  const done = command.yes ? `Removed ${count}.` : `${count} would be removed; add --yes to remove them.`;
  const lines: Answer["lines"] = (width) =>
    casts.length === 0 ? [line("Nothing to remove.")] : [...castLines(casts, { now, width }), line(done)];
  return ok({ code: 0, data: { removed: command.yes, casts: removed.value }, lines });
}

async function budget(
  workspace: Workspace,
  { castId, tokens }: Extract<Command, { kind: "budget" }>,
): Promise<Result<Answer>> {
  const id = await castNamed(workspace.store, castId);
  if (!id.ok) return id;
  const figures = await raiseBudget(workspace.store, id.value, tokens);
  if (!figures.ok) return figures;
  const { maxTokens, maxCostUsd, tokens: used, cost } = figures.value;
  const dollars = `$${cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}`;
  const text = `${id.value}: ${used} of ${maxTokens ?? "unlimited"} tokens, ${dollars}`;
  return ok({ code: 0, data: figures.value, lines: () => [line(text)] });
}
