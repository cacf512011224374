import type { CastingCommand } from "../../../core/command/command.ts";
import { type Parsed, parseText } from "../../../core/command/parse.ts";
import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { never } from "../../../core/model/values/never.ts";
import { onFleet } from "../../../core/view/text/typed.ts";
import { help } from "../../../shell/commands/help.ts";
import type { AnsweredCommand } from "../../../shell/commands/run-command.ts";
import { trustsForeign } from "../session/foreign.ts";
import { openPlace } from "../session/place.ts";
import { reviewPlan, type Reviewed } from "../casts/plan.ts";
import { answerWaitingCast, startFromCommand } from "../casts/start.ts";
import { giveBackHeld } from "../casts/messages.ts";
import type { CommandContext } from "../casts/state.ts";
import { lookIn, showAnswer } from "./look.ts";
import { stopWaiting } from "../casts/waiting.ts";

/** [X1] What was typed after `/materia`: read by the same grammar, with the same meaning, as on the command line. */
export async function perform(context: CommandContext, text: string): Promise<void> {
  const parsed = parseText(text);
  const done = parsed.ok ? await carryOut(context, parsed.value) : parsed;
  if (done.ok) return;
  const on = parsed.ok ? parsed.value.options.on : undefined;
  context.screen.refuse(on === undefined ? done.issues : onFleet(done.issues, on));
}

async function carryOut(context: CommandContext, { command, options }: Parsed): Promise<Result<undefined>> {
  if (command.kind === "worker" || command.kind === "fleet")
    return fail(
      error("not_here", command.kind, `"${command.kind}" is for a terminal`, "type it there, with materia before it"),
    );
  if (options.on !== undefined && command.kind !== "ui" && command.kind !== "help")
    return (await import("./on-fleet.ts")).performOnFleet(context, command, { ...options, on: options.on });
  switch (command.kind) {
    case "help":
      showAnswer(context, help(command.topic), options);
      return ok(undefined);
    case "continue": {
      const place = openPlace(context.user.ctx, options);
      const reviewed = place.ok ? await reviewPlan(context, command, place.value.workspace) : undefined;
      return reviewed ? decide(context, reviewed, options) : start(context, command, options);
    }
    case "cast":
    case "link":
    case "recast":
    case "fork":
      return start(context, command, options);
    case "demo":
      return (await import("./demo.ts")).demo(context, command.which);
    case "ui":
      return (await import("./ui.ts")).openUiProcess(context, command, options.on);
    case "open":
      if (!context.screen.live) return look(context, command, options);
      return (await import("./open-visit.ts")).openVisitHere(context, command, options);
    case "watch":
      return (await import("./watch-cast.ts")).watch(context, command, options);
    case "abort":
      return abort(context, command, options);
    case "casts":
    case "prune":
    case "take":
    case "status":
    case "show":
    case "diff":
    case "restore":
    case "doctor":
    case "test":
    case "replay":
    case "record":
    case "stats":
    case "compare":
    case "forecast":
    case "fork_plan":
    case "fuzz":
    case "budget":
    case "loadout":
    case "materia":
    case "grid":
    case "check":
    case "init":
    case "completion":
      return look(context, command, options);
    default:
      return never(command);
  }
}

async function start(
  context: CommandContext,
  command: CastingCommand,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  const started = await startFromCommand(context, command, options);
  if (!started.ok) return started;
  // [X4] Where nobody looks on, Pi leaves as soon as the command returns.
  if (!context.screen.live) await started.value.done;
  return ok(undefined);
}

/** [X38] What the person made of the answer that a cast waits with. */
async function decide(
  context: CommandContext,
  { castId, decision }: Reviewed,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  if (!decision) return ok(undefined);
  if (decision.kind === "abort") return abort(context, { kind: "abort", castId }, options);
  const { waiting } = context.state;
  const started = await answerWaitingCast(
    context,
    waiting?.castId === castId ? waiting : { castId, options },
    decision,
  );
  return started.ok ? ok(undefined) : started;
}

async function look(
  context: CommandContext,
  command: AnsweredCommand,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  const place = openPlace(context.user.ctx, options);
  return place.ok ? lookIn(context, place.value, { command, options }) : place;
}

/** [X5] The cast of this session is stopped here and shows its end; any other is stopped through its journal. */
async function abort(
  context: CommandContext,
  command: Extract<AnsweredCommand, { kind: "abort" }>,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  const { running } = context.state;
  if (running && (command.castId === undefined || command.castId === running.castId)) {
    running.stop("abort");
    await running.done;
    return ok(undefined);
  }
  const castId = command.castId ?? context.state.waiting?.castId;
  const driven = castId === undefined ? await drivenElsewhere(context, options) : undefined;
  if (driven) return fail(driven);
  const done = await lookAsked(context, castId === undefined ? command : { ...command, castId }, options);
  if (done.ok && castId !== undefined && castId === context.state.waiting?.castId) {
    stopWaiting(context);
    giveBackHeld(context);
  }
  return done;
}

/** [X42] Without an id nobody means what another Pi does. */
async function drivenElsewhere({ user }: CommandContext, options: Parsed["options"]): Promise<Issue | undefined> {
  const place = openPlace(user.ctx, options);
  if (!place.ok) return undefined;
  const { store } = place.value.workspace;
  const ids = await store.ids();
  for (const id of ids.ok ? ids.value.slice(0, LOOKED_AT) : []) {
    const owner = await store.owner(id);
    if (owner)
      return error(
        "cast_is_running",
        id,
        `process ${owner.pid} drives this cast, not this session`,
        `"materia abort ${id}" stops it`,
      );
  }
  return undefined;
}

const LOOKED_AT = 20;

/** [S10] An abort ends programs, so that of a cast of somebody else is asked about. */
async function lookAsked(
  context: CommandContext,
  command: Extract<AnsweredCommand, { kind: "abort" }>,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  const done = await look(context, command, options);
  const isNamed = command.castId !== undefined;
  if (done.ok || !isNamed || !(await trustsForeign(context.user.ctx, done.issues))) return done;
  return look(context, { ...command, trust: true }, options);
}
