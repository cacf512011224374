import type { Command } from "../../core/command/command.ts";
import { ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/never.ts";
import { castLines } from "../../core/view/casts.ts";
import { boardLines, boardOf } from "../../core/view/board.ts";
import { followAll } from "../../core/view/now/trail.ts";
import { startState } from "../../core/cast/state.ts";
import { storyLines } from "../../core/view/story.ts";
import { line, toned } from "../../core/view/text/line.ts";
import { startOf } from "../../shell/files/cast-file.ts";
import { loadCast } from "../../shell/files/cast-store.ts";
import type { LoadedCast } from "../../shell/files/cast-store.ts";
import { listCasts, summaryOf } from "../../shell/files/casts.ts";
import { currentOwner } from "../../shell/files/ownership.ts";
import { prunable, removeCasts } from "../../shell/files/prune.ts";
import { raiseBudget } from "../../shell/casting/budget.ts";
import { castNamed } from "../../shell/casting/named-cast.ts";
import { printJson, printLines } from "./lines.ts";
import type { Request } from "./main.ts";

type CastsCommand = Extract<Command, { kind: "casts" | "prune" | "status" | "show" | "budget" }>;
type CastsRequest<K extends CastsCommand["kind"] = CastsCommand["kind"]> = Request & { readonly command: Extract<Command, { kind: K }> };

/** Looking at casts, from any process, without disturbing the one that runs them. */
export async function lookAtCasts(request: CastsRequest): Promise<Result<number>> {
  const { command } = request;
  switch (command.kind) {
    case "casts":
      return list(request);
    case "prune":
      return prune({ ...request, command });
    case "status":
      return status({ ...request, command });
    case "show":
      return show({ ...request, command });
    case "budget":
      return budget({ ...request, command });
    default:
      return never(command);
  }
}

function list({ io, options, workspace }: CastsRequest): Result<number> {
  const casts = listCasts(workspace.root);
  if (options.json) printJson(io, casts);
  else if (casts.length === 0) io.out(`No casts yet under ${workspace.root}. Start one with "materia cast <prompt>", or see "materia demo".\n`);
  else printLines(io, castLines(casts, { now: Date.now(), width: io.columns() }));
  return ok(0);
}

function status({ io, options, workspace, command }: CastsRequest<"status">): Result<number> {
  const cast = open(workspace.root, command.castId);
  if (!cast.ok) return cast;
  const { file, journal, runDir } = cast.value;
  const trail = followAll(startState(startOf(file)), journal.events);
  const board = boardOf(trail, { now: Date.now(), alive: currentOwner(runDir) !== undefined, lineage: lineageOf(cast.value) });
  if (options.json) printJson(io, { ...summaryOf(workspace.root, cast.value.castId), ...board, runDir });
  else printLines(io, boardLines(board, io.columns()));
  return ok(0);
}

function lineageOf({ file }: LoadedCast) {
  return { targets: file.targets.map((target) => target.name), fromCastId: file.fromCastId };
}

function show({ io, options, workspace, command }: CastsRequest<"show">): Result<number> {
  const cast = open(workspace.root, command.castId);
  if (!cast.ok) return cast;
  const { file, journal, runDir } = cast.value;
  if (options.json) {
    printJson(io, { ...summaryOf(workspace.root, cast.value.castId), command: file.command, targets: file.targets, fromCastId: file.fromCastId, events: journal.events });
    return ok(0);
  }
  const lines = storyLines(startOf(file), journal.events, { width: Math.min(io.columns(), 120), alive: currentOwner(runDir) !== undefined, lineage: lineageOf(cast.value) });
  const torn = journal.tornBytes > 0 ? [line(toned("rework", `The journal ends in a line that was cut off (${journal.tornBytes} bytes); a resume removes it.`))] : [];
  printLines(io, [...lines, line(toned("dim", `Files: ${runDir}`)), ...torn]);
  return ok(0);
}

function open(root: string, castId: string | undefined): Result<LoadedCast> {
  const id = castNamed(root, castId);
  return id.ok ? loadCast(root, id.value) : id;
}

function prune({ io, options, workspace, command }: CastsRequest<"prune">): Result<number> {
  const casts = prunable(workspace.root, command, Date.now());
  if (options.json) printJson(io, { removed: command.yes, casts: casts.map((cast) => cast.castId) });
  else if (casts.length === 0) io.out("Nothing to remove.\n");
  else {
    printLines(io, castLines(casts, { now: Date.now(), width: io.columns() }));
    io.out(command.yes ? `Removing ${casts.length}.\n` : `${casts.length} would be removed; add --yes to remove them.\n`);
  }
  return command.yes ? removeCasts(workspace.root, casts) : ok(0);
}

async function budget({ io, options, workspace, command }: CastsRequest<"budget">): Promise<Result<number>> {
  const id = castNamed(workspace.root, command.castId);
  if (!id.ok) return id;
  const budget = await raiseBudget(workspace, id.value, command.tokens);
  if (!budget.ok) return budget;
  const { maxTokens, maxCostUsd, tokens, cost } = budget.value;
  if (options.json) printJson(io, budget.value);
  else io.out(`${id.value}: ${tokens} of ${maxTokens ?? "unlimited"} tokens, $${cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}\n`);
  return ok(0);
}
