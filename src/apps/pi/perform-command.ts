import { failWith, suggest, typed, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { rmSync } from "node:fs";
import { isTerminalCommand, type CastingCommand, type CommandOf, type DemoKind } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import type { ParsedCommand } from "../../core/command/command-input.ts";
import { parseText } from "../../core/command/parse.ts";
import { prepareDemo } from "../../shell/casting/demo.ts";
import { openVisitSession } from "../../shell/commands/open.ts";
import { withFleetOption } from "../../core/view/issues.ts";
import type { QueueRun } from "../../core/command/queue-command.ts";
import { runHelp } from "../../shell/commands/help.ts";
import type { ImmediateCommand } from "../../shell/commands/run-command.ts";
import { optionsForOtherProject } from "../../shell/workspace/inbox.ts";
import { askToTrustCast, resolveProject } from "./session/project.ts";
import { reviewReply, type ReplyReview, stopWaiting } from "./casts/waiting-cast.ts";
import {
  answerWaitingCast,
  resolveTrustedProject,
  startFromCommand,
  startInProject,
  type StartedCast,
} from "./casts/start-cast.ts";
import { newestCasts } from "./casts/other-casts.ts";
import { returnHeldMessages } from "./casts/messages.ts";
import type { CommandContext } from "./casts/session-state.ts";
import { detachRunningCast } from "./casts/interrupt.ts";
import { restoreTitle, showCommandOutput, showAnswer } from "./screen/screen.ts";
import { line, toned, wrapLine } from "../../core/view/line.ts";
import type { CommandOutput } from "../../shell/commands/command-output.ts";

/** [X1] Runs what was typed after `/materia`, with the grammar and meaning of the command line. */
export async function performCommand(context: CommandContext, text: string): Promise<void> {
  restoreTitle(context.user.ctx);
  const typed = text.trim().split(/\s+/).join(" ");
  if (typed === "help detach" || typed === "detach --help")
    return showAnswer(context.screen, { lines: () => [DETACH_LINE], data: null, code: 0 }, {});
  const parsed = parseText(text);
  const done =
    typed === "detach"
      ? await detachRunningCast(context)
      : parsed.ok
        ? await runParsedCommand(context, parsed.value)
        : parsed;
  if (done.ok) return;
  const on = parsed.ok ? parsed.value.options.on : undefined;
  context.screen.refuse(on === undefined ? done.issues : withFleetOption(done.issues, on));
}

async function runParsedCommand(context: CommandContext, parsed: ParsedCommand): Promise<Result<unknown>> {
  const { command } = parsed;
  // [YI5] The cast may be of another project.
  const here = resolveProject(context.user.ctx, parsed.options);
  const elsewhere = here.ok ? await optionsForOtherProject(here.value.workspace, command, parsed.options) : undefined;
  const options = elsewhere ?? parsed.options;
  if (elsewhere) context.screen.note(`This cast is of ${elsewhere.cwd ?? ""}.`);
  if (isTerminalCommand(command)) {
    const hint = "type it there, with materia before it";
    return failWith("command_unavailable", command.kind, `"${command.kind}" is for a terminal`, hint);
  }
  if (command.kind === "queue" && command.action === "run") return startQueue(context, command, options);
  if (options.on !== undefined && command.kind !== "ui" && command.kind !== "help")
    return (await import("./watch-cast.ts")).performOnFleet(context, command, { ...options, on: options.on });
  switch (command.kind) {
    case "help":
      showAnswer(context.screen, helpInPi(command.topic), options);
      return ok(undefined);
    case "continue": {
      const place = resolveProject(context.user.ctx, options);
      const reviewed = place.ok ? await reviewReply(context, command, place.value.workspace) : undefined;
      return reviewed ? applyDecision(context, reviewed, options) : startCast(context, command, options);
    }
    case "cast":
    case "link":
    case "recast":
    case "fork":
      return startCast(context, command, options);
    case "draft":
      return (await import("./draft-command.ts")).runDraftCommand(context, command, options);
    case "demo":
      return runDemo(context, command.which);
    case "ui":
      return (await import("./ui-process.ts")).startUiProcess(context, command, options);
    case "open":
      if (!context.screen.isWatched) return answerInProject(context, command, options);
      return switchToVisit(context, command, options);
    case "watch":
      return (await import("./watch-cast.ts")).runWatchCommand(context, command, options);
    case "abort":
      return abortCast(context, command, options);
    default:
      return answerInProject(context, command, options);
  }
}

/** [YQ8] The queue outlives the session. */
async function startQueue(context: CommandContext, command: QueueRun, options: Options): Promise<Result<unknown>> {
  const { startQueueRun } = await import("../../shell/commands/queue.ts");
  const trusted = await resolveTrustedProject(context, options);
  if (!trusted.ok) return trusted;
  // [X52] Its process has only the trust that is written down.
  const { vouch, remember } = trusted.value;
  const started = await startQueueRun(command, { ...trusted.value, remember: vouch ?? remember, options });
  if (started.ok) showAnswer(context.screen, started.value, options);
  return started;
}

async function startCast(context: CommandContext, command: CastingCommand, options: Options) {
  return untilSeen(context, await startFromCommand(context, command, options));
}

/** [X4] Without a person watching, Pi exits as soon as the command returns: wait for the result. */
async function untilSeen({ screen }: CommandContext, started: Result<StartedCast>): Promise<Result<unknown>> {
  if (!started.ok) return started;
  if (!screen.isWatched) await started.value.done;
  return ok(undefined);
}

/** [X38] The person's decision about the reply that a cast waits with. */
async function applyDecision(context: CommandContext, { castId, decision }: ReplyReview, options: Options) {
  if (!decision) return ok(undefined);
  if (decision.kind === "abort") return abortCast(context, { kind: "abort", castId }, options);
  const { waiting } = context.state;
  const asked = waiting?.castId === castId ? waiting : { castId, options };
  return answerWaitingCast(context, asked, decision);
}

async function answerInProject(context: CommandContext, command: ImmediateCommand, options: Options) {
  const place = resolveProject(context.user.ctx, options);
  return place.ok ? showCommandOutput(context.screen, place.value, { command, options }) : place;
}

/** [X5] Aborts the cast of this session here and shows its end; aborts any other cast through its journal. */
async function abortCast(context: CommandContext, command: AbortCommand, options: Options): Promise<Result<unknown>> {
  const { running } = context.state;
  if (running && (command.castId === undefined || command.castId === running.castId)) {
    running.stop("abort");
    await running.done;
    return ok(undefined);
  }
  const castId = command.castId ?? context.state.waiting?.castId;
  const driven = castId === undefined ? await findForeignRun(context, options) : undefined;
  if (driven) return fail(driven);
  const done = await abortOrAskTrust(context, castId === undefined ? command : { ...command, castId }, options);
  if (done.ok && castId !== undefined && castId === context.state.waiting?.castId) {
    stopWaiting(context);
    returnHeldMessages(context);
  }
  return done;
}

type AbortCommand = CommandOf<"abort">;

/** [X42] Without an id, casts of another Pi are not meant. */
async function findForeignRun({ user }: CommandContext, options: Options): Promise<Issue | undefined> {
  const place = resolveProject(user.ctx, options);
  if (!place.ok) return undefined;
  const { store } = place.value.workspace;
  for (const id of await newestCasts(store)) {
    const owner = await store.owner(id);
    if (owner) {
      const hint = suggest`${typed`abort ${id}`} stops it`;
      return error("cast_running", id, `process ${owner.pid} runs this cast, not this session`, hint);
    }
  }
  return undefined;
}

/** [S15] An abort ends programs, so ask before aborting a cast that was started elsewhere. */
async function abortOrAskTrust(context: CommandContext, command: AbortCommand, options: Options) {
  const done = await answerInProject(context, command, options);
  if (done.ok || command.castId === undefined) return done;
  if (!(await askToTrustCast(context.user.ctx, done.issues))) return done;
  return answerInProject(context, { ...command, trust: true }, options);
}

const DETACH_HELP = "  continue the cast of this session in the background, and stay";
const DETACH_LINE = line("  ", toned("strong", "detach"), DETACH_HELP);

/** [X63] With the command that only Pi has, and no line cut. */
function helpInPi(topic: string | undefined): CommandOutput {
  const help = runHelp(topic);
  const ofPi = topic === undefined ? [line(""), line(toned("strong", "In Pi")), DETACH_LINE] : [];
  return { ...help, lines: (width) => [...help.lines(width), ...ofPi].flatMap((each) => wrapLine(each, width)) };
}

/** [X29] The demo of the command line in this session: a scratch repository, scripted replies, everything else real. */
async function runDemo(context: CommandContext, which: DemoKind): Promise<Result<unknown>> {
  const prepared = prepareDemo(process.env, which);
  if (!prepared.ok) return prepared;
  const { repository, workspace, request, loadout, rehearsal } = prepared.value;
  const trusted = { workspace, remember: () => undefined };
  const command = { kind: "cast" as const, prompt: request, loadout };
  const started = await startInProject(context, trusted, command, { cwd: repository, rehearse: rehearsal });
  if (started.ok)
    context.screen.note(`The replies of this demo are scripted; everything else is real. It works in ${repository}`);
  return untilSeen(context, started);
}

/** [X44] Opens the conversation of a visit in place of this session, which is kept. Asks first if a cast runs. */
async function switchToVisit(
  context: CommandContext,
  command: CommandOf<"open">,
  options: Options,
): Promise<Result<unknown>> {
  const { user, state, switchTo } = context;
  // Nobody can be asked there, and leaving would pause the cast.
  if (state.running && user.ctx.mode !== "tui") {
    const hint = suggest`${typed`abort`} stops it`;
    return failWith("cast_running", state.running.castId, "a cast runs in this session", hint);
  }
  const place = resolveProject(user.ctx, options);
  if (!place.ok) return place;
  const opened = await openVisitSession(place.value.workspace, command, user.ctx.sessionManager.getSessionDir());
  if (!opened.ok) {
    const isTrusted = command.castId !== undefined && (await askToTrustCast(user.ctx, opened.issues));
    return isTrusted ? switchToVisit(context, { ...command, trust: true }, options) : opened;
  }
  const { session, materia } = opened.value;
  const words = `This is a copy of ${materia}'s conversation; the cast does not change. /resume brings your session back`;
  const switched = await switchTo?.(session, words);
  // The person stays here, so there is nothing to come back to.
  if (switched?.cancelled !== false) rmSync(session, { force: true });
  return ok(undefined);
}
