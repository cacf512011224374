import { isCastingCommand, type CastingCommand, type Command } from "../../../core/command/command.ts";
import type { Options } from "../../../core/command/options.ts";
import { quoteWord } from "../../../core/command/words.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { line } from "../../../core/view/text/line.ts";
import { openPiHost } from "../../../shell/casting/workspace/hosts.ts";
import { findCast } from "../../../shell/casting/workspace/named-cast.ts";
import { prepareCommand, prepareStoppedCast, type CommandCaller } from "../../../shell/commands/prepare.ts";
import type { PreparedCast } from "../../../shell/casting/drive/prepared-cast.ts";
import { reviewReply, type ReplyReview } from "../casts/plan.ts";
import type { CommandContext } from "../casts/state.ts";
import { resolveProject, trustProject, type SessionProject } from "../session/place.ts";
import { answerCommand } from "./look.ts";
import { watchOnFleet, type FleetWatch } from "./watch-fleet.ts";

type FleetOptions = Options & { readonly on: string };
type CommandOnFleet = Exclude<Command, { kind: "help" | "ui" | "worker" | "fleet" }>;

/** [B30] The same command on the casts of a fleet: this session drives none of them, it submits and looks. */
export async function performOnFleet(
  context: CommandContext,
  command: CommandOnFleet,
  options: FleetOptions,
): Promise<Result<undefined>> {
  const place = resolveProject(context.user.ctx, options);
  if (!place.ok) return place;
  const { openFleetWorkspace: workspaceOn } = await import("../../../shell/fleet/on-fleet.ts");
  const opened = await workspaceOn(place.value.workspace, options.on, options);
  if (!opened.ok) return opened;
  const { workspace, close } = opened.value;
  const done = await runOnFleet(context, { ...place.value, workspace }, { command, options });
  // What is still looked at needs the connection for as long.
  const looked = (done.ok ? done.value?.done : undefined) ?? Promise.resolve();
  const closed = looked.then(close).catch(() => undefined);
  if (!context.screen.isWatched) await closed;
  return done.ok ? ok(undefined) : done;
}

async function runOnFleet(
  context: CommandContext,
  place: SessionProject,
  { command, options }: { readonly command: CommandOnFleet; readonly options: FleetOptions },
): Promise<Result<FleetWatch | undefined>> {
  if (isCastingCommand(command)) return submitCast(context, place, { command, options });
  if (command.kind === "watch") {
    const { running } = context.state;
    if (running) return fail(error("cast_is_running", running.castId, "a cast of this session is shown already"));
    const castId = await findCast(place.workspace.store, command.castId);
    return castId.ok ? watchOnFleet(context, place.workspace, { castId: castId.value, on: options.on }) : castId;
  }
  if (command.kind === "demo") return fail(error("bad_option", "--on", "the demo runs here"));
  return answerCommand(context, place, { command, options });
}

/** Sent as it would be from a terminal, and shown here until it ends, unless nobody wants to look. */
async function submitCast(
  context: CommandContext,
  place: SessionProject,
  { command, options }: { readonly command: CastingCommand; readonly options: FleetOptions },
): Promise<Result<FleetWatch | undefined>> {
  const { user, screen, state } = context;
  const trusted = await trustProject(user.ctx, place, options);
  if (!trusted.ok) return trusted;
  const asker: CommandCaller = {
    options: { ...options, detach: true },
    ...trusted.value,
    openReal: openPiHost,
    texts: { from: user.ctx.cwd },
  };
  const prepared = await prepareReviewed(context, command, asker);
  if (!prepared?.ok) return prepared ?? ok(undefined);
  const { castId, notes, run } = prepared.value;
  for (const note of notes) screen.note(note);
  const sent = await run({ signal: new AbortController().signal });
  if (!sent.ok) return sent;
  if (!options.detach && !state.running)
    return watchOnFleet(context, trusted.value.workspace, { castId, on: options.on });
  if (screen.isWatched)
    screen.note(`${castId} runs on ${options.on}: /materia watch --on ${quoteWord(options.on)} ${castId}`);
  else screen.showAnswer({ lines: [line(castId)], data: { castId }, code: 0 });
  return ok(undefined);
}

/** [X38] What a bare `continue` approves is shown before; nothing where the person wants nothing of it. */
async function prepareReviewed(
  context: CommandContext,
  command: CastingCommand,
  asker: CommandCaller,
): Promise<Result<PreparedCast> | undefined> {
  const reviewed: ReplyReview | undefined =
    command.kind === "continue" ? await reviewReply(context, command, asker.workspace) : undefined;
  if (!reviewed) return prepareCommand(command, asker);
  const { castId, decision } = reviewed;
  if (!decision) return undefined;
  if (decision.kind !== "abort") return prepareStoppedCast(castId, decision, asker);
  const asked = await asker.workspace.fleet?.abort(castId);
  return asked && !asked.ok ? asked : undefined;
}
