import type { Command } from "../../core/command/command.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/never.ts";
import { quoteWord } from "../../core/command/words.ts";
import { startState } from "../../core/cast/state.ts";
import type { CastState } from "../../core/cast/state.ts";
import { followAll } from "../../core/view/now/trail.ts";
import { startOf } from "../../shell/files/cast-file.ts";
import { loadCast } from "../../shell/files/cast-store.ts";
import { abortCast } from "../../shell/casting/abort.ts";
import type { AgentChoice } from "../../shell/casting/hosts.ts";
import { openPiHost } from "../../shell/casting/hosts.ts";
import { castNamed } from "../../shell/casting/named-cast.ts";
import { resumeCast } from "../../shell/casting/resume.ts";
import type { Nudge } from "../../shell/casting/resume.ts";
import { prepareCast, startCast } from "../../shell/casting/start.ts";
import type { RunEnd } from "../../shell/run/run-cast.ts";
import type { Request } from "./main.ts";
import { openProgress, progressKind } from "./progress.ts";
import { exitCode, printResult } from "./result.ts";
import { onInterrupt } from "./interrupt.ts";
import { askPerson, withTrust } from "./person.ts";

type CastingCommand = Extract<Command, { kind: "cast" | "link" | "continue" | "recast" | "abort" }>;
type CastingRequest<K extends CastingCommand["kind"] = CastingCommand["kind"]> = Request & { readonly command: Extract<Command, { kind: K }> };

/** Everything that sets a cast going, keeps it going or stops it. */
export async function runCasting(request: CastingRequest): Promise<Result<number>> {
  const { command, options } = request;
  if (options.durability !== undefined && options.durability !== "sync" && options.durability !== "write") {
    return fail(error("bad_option", "--durability", `--durability is "write" or "sync", not "${options.durability}"`));
  }
  switch (command.kind) {
    case "cast":
    case "link":
      return start({ ...request, command });
    case "continue":
      return continueCast({ ...request, command });
    case "recast":
      return recast({ ...request, command });
    case "abort":
      return abort({ ...request, command });
    default:
      return never(command);
  }
}

/** `cast` is a link with one target, so there is one path. */
async function start(request: CastingRequest<"cast" | "link">): Promise<Result<number>> {
  const { command, io, options } = request;
  const { workspace, remember } = await withTrust(request);
  const active = workspace.catalog.settings.activeLoadout.value;
  const link = command.kind === "link" ? command : { targets: [{ kind: "loadout" as const, name: command.loadout ?? active }], prompt: command.prompt };
  const named = command.kind === "cast" && command.loadout !== undefined ? ` --loadout ${quoteWord(command.loadout)}` : "";
  const typed = command.kind === "cast" ? { command: `cast${named} ${command.prompt}` } : {};
  const ready = await prepareCast(workspace, link, { agents: agentChoice(request), openReal: openPiHost, ...typed });
  if (!ready.ok) return ready;
  remember();
  for (const note of ready.value.notes) io.err(`note: ${note}\n`);
  const progress = openProgress(io, progressKind(io, options), followAll(startState(startOf(ready.value.file)), []));
  const interrupt = onInterrupt(io);
  const done = await startCast(ready.value, { ...drivingOf(request), signal: interrupt.signal, ...progress });
  interrupt.stop();
  progress.stop();
  if (!done.ok) return done;
  return finish(request, done.value.folder.castId, done.value.end);
}

function agentChoice({ options }: CastingRequest): AgentChoice {
  return { ...(options.model === undefined ? {} : { model: options.model }), ...(options.rehearse === undefined ? {} : { rehearsal: options.rehearse }) };
}

function drivingOf({ options }: CastingRequest) {
  return { durability: options.durability === "sync" ? ("sync" as const) : ("write" as const), ...(options.model === undefined ? {} : { model: options.model }) };
}

/** Shows how it ended; where a person is wanted and there is one, asks, and goes on. */
async function finish(request: CastingRequest, castId: string, end: RunEnd): Promise<Result<number>> {
  const { io, options, workspace } = request;
  if (end.kind === "waiting" && io.canAsk && !options.json && !options.quiet) {
    const nudge = await askPerson(io, replyOf(end.state), castId);
    if (nudge) return resume(request, castId, nudge);
  }
  printResult({ io, options, end, root: workspace.root });
  return ok(exitCode(end));
}

function replyOf({ phase }: CastState): string {
  return phase.kind === "waiting" ? phase.reply : "";
}

async function resume(request: CastingRequest, castId: string, nudge: Nudge): Promise<Result<number>> {
  const { io, options } = request;
  const { workspace, remember } = await withTrust(request);
  const cast = loadCast(workspace.root, castId);
  if (!cast.ok) return cast;
  const { file, journal } = cast.value;
  const progress = openProgress(io, progressKind(io, options), followAll(startState(startOf(file)), journal.events));
  const interrupt = onInterrupt(io);
  const choice = { agents: agentChoice(request), openReal: openPiHost, nudge, by: `materia ${nudge.kind}` };
  const done = await resumeCast(workspace, castId, choice, { ...drivingOf(request), signal: interrupt.signal, ...progress });
  interrupt.stop();
  progress.stop();
  if (!done.ok) return done;
  remember();
  return finish(request, castId, done.value.end);
}

async function recast(request: CastingRequest<"recast">): Promise<Result<number>> {
  const { command, workspace } = request;
  const id = castNamed(workspace.root, command.castId, ({ status }) => status === "failed" || status === "aborted" || status === "interrupted");
  if (!id.ok) return id;
  const { budget, costUsd, allow } = command;
  return resume(request, id.value, {
    kind: "recast",
    ...(budget === undefined ? {} : { maxTokens: budget }),
    ...(costUsd === undefined ? {} : { maxCostUsd: costUsd }),
    ...(allow === undefined ? {} : { allow }),
  });
}

async function continueCast(request: CastingRequest<"continue">): Promise<Result<number>> {
  const { command, workspace } = request;
  const [first = ""] = command.text.trim().split(/\s+/);
  const named = first !== "" && loadCast(workspace.root, first).ok;
  const message = (named ? command.text.trim().slice(first.length) : command.text).trim();
  const id = castNamed(workspace.root, named ? first : undefined, ({ status }) => status === "waiting");
  if (!id.ok) return id;
  return resume(request, id.value, message === "" ? { kind: "finish" } : { kind: "answer", text: message });
}

async function abort({ command, io, workspace }: CastingRequest<"abort">): Promise<Result<number>> {
  const id = castNamed(workspace.root, command.castId, ({ status }) => status === "running" || status === "waiting" || status === "interrupted");
  if (!id.ok) return id;
  const aborted = await abortCast(workspace, id.value);
  if (!aborted.ok) return aborted;
  io.out(`${id.value} is aborted. "materia recast ${id.value}" goes on where it stopped.\n`);
  return ok(0);
}
