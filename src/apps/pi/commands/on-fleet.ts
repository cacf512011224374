import { isCasting, type CastingCommand, type Command } from "../../../core/command/command.ts";
import type { Options } from "../../../core/command/options.ts";
import { quoteWord } from "../../../core/command/words.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { line } from "../../../core/view/text/line.ts";
import { openPiHost } from "../../../shell/casting/workspace/hosts.ts";
import { castNamed } from "../../../shell/casting/workspace/named-cast.ts";
import { prepare, prepareAgain, type Asker } from "../../../shell/commands/prepare.ts";
import type { PreparedCast } from "../../../shell/casting/drive/prepared-cast.ts";
import { reviewPlan, type Reviewed } from "../casts/plan.ts";
import type { CommandContext } from "../casts/state.ts";
import { openPlace, trustPlace, type SessionPlace } from "../session/place.ts";
import { lookIn } from "./look.ts";
import { showOnFleet, type ShownCast } from "./watch-fleet.ts";

type FleetOptions = Options & { readonly on: string };
type FleetCommand = Exclude<Command, { kind: "help" | "ui" | "worker" | "fleet" }>;

/** [B30] The same command on the casts of a fleet: this session drives none of them, it submits and looks. */
export async function performOnFleet(
  context: CommandContext,
  command: FleetCommand,
  options: FleetOptions,
): Promise<Result<undefined>> {
  const place = openPlace(context.user.ctx, options);
  if (!place.ok) return place;
  const { workspaceOn } = await import("../../../shell/fleet/on-fleet.ts");
  const opened = await workspaceOn(place.value.workspace, options.on, options);
  if (!opened.ok) return opened;
  const { workspace, close } = opened.value;
  const done = await carryOut(context, { ...place.value, workspace }, { command, options });
  // What is still looked at needs the connection for as long.
  const looked = (done.ok ? done.value?.done : undefined) ?? Promise.resolve();
  const closed = looked.then(close).catch(() => undefined);
  if (!context.screen.live) await closed;
  return done.ok ? ok(undefined) : done;
}

async function carryOut(
  context: CommandContext,
  place: SessionPlace,
  { command, options }: { readonly command: FleetCommand; readonly options: FleetOptions },
): Promise<Result<ShownCast | undefined>> {
  if (isCasting(command)) return submit(context, place, { command, options });
  if (command.kind === "watch") {
    const { running } = context.state;
    if (running) return fail(error("cast_is_running", running.castId, "a cast of this session is shown already"));
    const castId = await castNamed(place.workspace.store, command.castId);
    return castId.ok ? showOnFleet(context, place.workspace, { castId: castId.value, on: options.on }) : castId;
  }
  if (command.kind === "demo") return fail(error("bad_option", "--on", "the demo runs here"));
  return lookIn(context, place, { command, options });
}

/** Sent as it would be from a terminal, and shown here until it ends, unless nobody wants to look. */
async function submit(
  context: CommandContext,
  place: SessionPlace,
  { command, options }: { readonly command: CastingCommand; readonly options: FleetOptions },
): Promise<Result<ShownCast | undefined>> {
  const { user, screen, state } = context;
  const trusted = await trustPlace(user.ctx, place, options);
  if (!trusted.ok) return trusted;
  const asker: Asker = {
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
    return showOnFleet(context, trusted.value.workspace, { castId, on: options.on });
  if (screen.live)
    screen.note(`${castId} runs on ${options.on}: /materia watch --on ${quoteWord(options.on)} ${castId}`);
  else screen.answer({ lines: [line(castId)], data: { castId }, code: 0 });
  return ok(undefined);
}

/** [X38] What a bare `continue` approves is shown before; nothing where the person wants nothing of it. */
async function prepareReviewed(
  context: CommandContext,
  command: CastingCommand,
  asker: Asker,
): Promise<Result<PreparedCast> | undefined> {
  const reviewed: Reviewed | undefined =
    command.kind === "continue" ? await reviewPlan(context, command, asker.workspace) : undefined;
  if (!reviewed) return prepare(command, asker);
  const { castId, decision } = reviewed;
  if (!decision) return undefined;
  if (decision.kind !== "abort") return prepareAgain(castId, decision, asker);
  const asked = await asker.workspace.fleet?.abort(castId);
  return asked && !asked.ok ? asked : undefined;
}
