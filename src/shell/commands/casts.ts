import type { Command } from "../../core/command/command.ts";
import { startState } from "../../core/cast/state.ts";
import { ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/never.ts";
import { harmless } from "../../core/model/text.ts";
import { boardLines, boardOf } from "../../core/view/now/board.ts";
import { castLines } from "../../core/view/casts.ts";
import { followAll } from "../../core/view/now/trail.ts";
import { storyLines } from "../../core/view/tell/story.ts";
import { line, toned } from "../../core/view/text/line.ts";
import type { Line } from "../../core/view/text/line.ts";
import { join } from "node:path";
import { forgetCast } from "../config/own-casts.ts";
import { raiseBudget } from "../casting/budget.ts";
import { foreignIssue, markForeign } from "../casting/foreign.ts";
import { castNamed } from "../casting/named-cast.ts";
import type { Workspace } from "../casting/workspace.ts";
import { startOf } from "../store/cast-file.ts";
import { isCast, loadCast, readCastFile } from "../store/cast-store.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import { listCasts, summaryOf } from "../store/casts.ts";
import { currentOwner } from "../store/ownership.ts";
import { prunable, removeCasts } from "../store/prune.ts";
import type { Answer } from "./answer.ts";

type CastsCommand = Extract<Command, { kind: "casts" | "prune" | "status" | "show" | "budget" }>;

/** Looking at casts, from any process, without disturbing the one that runs them. */
export async function lookAtCasts(command: CastsCommand, workspace: Workspace): Promise<Result<Answer>> {
  switch (command.kind) {
    case "casts":
      return ok(list(workspace));
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

function list(workspace: Workspace): Answer {
  const { root } = workspace;
  const casts = listCasts(root).map((cast) => markForeign(workspace, cast));
  const none = line(
    `No casts yet under ${harmless(root)}. Start one with "materia cast <prompt>", or see "materia demo".`,
  );
  const lines: Answer["lines"] = (width) =>
    casts.length === 0 ? [none] : castLines(casts, { now: Date.now(), width });
  return { code: 0, data: casts, lines };
}

function status(workspace: Workspace, castId: string | undefined): Result<Answer> {
  const { root } = workspace;
  const cast = open(root, castId);
  if (!cast.ok) return cast;
  const { file, journal, runDir } = cast.value;
  const trail = followAll(startState(startOf(file)), journal.events);
  const alive = currentOwner(runDir) !== undefined;
  const board = boardOf(trail, { now: Date.now(), alive, lineage: lineageOf(cast.value) });
  return ok({
    code: 0,
    data: { ...summaryOf(root, cast.value.castId), ...board, runDir, ...foreignMark(workspace, cast.value) },
    lines: (width) => [...boardLines(board, width), ...foreignLines(workspace, cast.value)],
  });
}

function lineageOf({ file }: LoadedCast) {
  return { targets: file.targets.map((target) => target.name), fromCastId: file.fromCastId };
}

/** [S10] Looked at freely, and said to be what it is. */
function foreignMark(workspace: Workspace, { file }: LoadedCast): { readonly foreign?: true } {
  return foreignIssue(workspace, file) ? { foreign: true } : {};
}

function foreignLines(workspace: Workspace, { file }: LoadedCast): readonly Line[] {
  const issue = foreignIssue(workspace, file);
  return issue ? [line(toned("rework", `Foreign: ${harmless(issue.message)}.`))] : [];
}

function show(workspace: Workspace, castId: string | undefined): Result<Answer> {
  const { root } = workspace;
  const cast = open(root, castId);
  if (!cast.ok) return cast;
  const { file, journal, runDir } = cast.value;
  const { command, targets, fromCastId } = file;
  const mark = foreignMark(workspace, cast.value);
  const data = { ...summaryOf(root, cast.value.castId), ...mark, command, targets, fromCastId, events: journal.events };
  const cutOff = `The journal ends in a line that was cut off (${journal.tornBytes} bytes); a resume removes it.`;
  const lines: Answer["lines"] = (width) => [
    ...storyLines(startOf(file), journal.events, {
      width: Math.min(width, 120),
      alive: currentOwner(runDir) !== undefined,
      lineage: lineageOf(cast.value),
    }),
    ...foreignLines(workspace, cast.value),
    line(toned("dim", `Files: ${harmless(runDir)}`)),
    ...(journal.tornBytes > 0 ? [line(toned("rework", cutOff))] : []),
  ];
  return ok({ code: 0, data, lines });
}

function open(root: string, castId: string | undefined): Result<LoadedCast> {
  const id = castNamed(root, castId);
  return id.ok ? loadCast(root, id.value) : id;
}

function prune({ root, place }: Workspace, command: Extract<Command, { kind: "prune" }>): Result<Answer> {
  const now = Date.now();
  const casts = prunable(root, command, now);
  const files = casts.flatMap(({ castId }) => {
    const file = readCastFile(join(root, castId));
    return file.ok ? [file.value] : [];
  });
  const removed = command.yes ? removeCasts(root, casts) : ok(0);
  // [S10] The marks of those that are gone.
  for (const file of files) if (!isCast(join(root, file.castId))) forgetCast(place.env, file);
  if (!removed.ok) return removed;
  const done = command.yes ? `Removed ${casts.length}.` : `${casts.length} would be removed; add --yes to remove them.`;
  const lines: Answer["lines"] = (width) =>
    casts.length === 0 ? [line("Nothing to remove.")] : [...castLines(casts, { now, width }), line(done)];
  return ok({ code: 0, data: { removed: command.yes, casts: casts.map((cast) => cast.castId) }, lines });
}

async function budget(
  workspace: Workspace,
  { castId, tokens }: Extract<Command, { kind: "budget" }>,
): Promise<Result<Answer>> {
  const id = castNamed(workspace.root, castId);
  if (!id.ok) return id;
  const figures = await raiseBudget(workspace, id.value, tokens);
  if (!figures.ok) return figures;
  const { maxTokens, maxCostUsd, tokens: used, cost } = figures.value;
  const dollars = `$${cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}`;
  const text = `${id.value}: ${used} of ${maxTokens ?? "unlimited"} tokens, ${dollars}`;
  return ok({ code: 0, data: figures.value, lines: () => [line(text)] });
}
