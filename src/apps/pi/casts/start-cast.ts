import type { Options } from "../../../core/command/options.ts";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import {
  namesSpecificCast,
  prepareCommand,
  prepareStoppedCast,
  type CommandCaller,
} from "../../../shell/commands/prepare.ts";
import type { CastingCommand } from "../../../core/command/command.ts";
import type { PreparedCast } from "../../../shell/casting/prepared-cast.ts";
import { loadPi } from "../../../shell/agents/pi-sdk.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import { openPiHost } from "../../../shell/workspace/agent-hosts.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { withProgramName } from "../../../core/view/issues.ts";
import { line, plainText } from "../../../core/view/line.ts";
import type { UserSession } from "../session/user-session.ts";
import { followTranscripts, type TranscriptFollower } from "../conversation/conversations.ts";
import { createUserAgentHost } from "../agents/agent-host.ts";
import { createTurnControl } from "../agents/turn-control.ts";
import { createVisibleTurns, type VisibleTurns } from "../agents/visible-turns.ts";
import type { Screen } from "../screen/screen.ts";
import {
  COMMAND_PREFIX,
  askToTrustCast,
  resolveProject,
  trustProject,
  type TrustedProject,
  sessionModel,
} from "../session/project.ts";
import { detachedAgents } from "./detach.ts";
import { turnCallbacks } from "./interrupt.ts";
import { runCastInSession } from "./run-in-session.ts";
import type { PersonAnswer, CommandContext, WaitingCast } from "./session-state.ts";

export interface StartedCast {
  readonly done: Promise<void>;
}

/** Starts `cast`, `link`, `continue` and `recast`; the caller decides whether to wait. */
export async function startFromCommand(
  context: CommandContext,
  command: CastingCommand,
  options: Options,
): Promise<Result<StartedCast>> {
  const busy = options.detach ? ok(undefined) : requireFreeSession(context);
  if (!busy.ok) return busy;
  const trusted = await resolveTrustedProject(context, options);
  return trusted.ok ? startInProject(context, trusted.value, command, options) : trusted;
}

export async function startInProject(
  context: CommandContext,
  trusted: TrustedProject,
  command: CastingCommand,
  options: Options,
): Promise<Result<StartedCast>> {
  const prepare: CastToRun["prepare"] = (asker) => prepareTrusted(context, command, asker);
  return prepareAndRun(context, trusted, { options, said: undefined, prepare });
}

/** [S15] Asks about a named cast that was started elsewhere, and prepares it again if the person trusts it. */
async function prepareTrusted({ user: { ctx } }: CommandContext, command: CastingCommand, asker: CommandCaller) {
  const prepared = await prepareCommand(command, asker);
  if (prepared.ok || !namesSpecificCast(command) || !(await askToTrustCast(ctx, prepared.issues))) return prepared;
  return prepareCommand(command, { ...asker, trustsCast: true });
}

/** Sends the person's answer to the waiting cast, in the folder and with the options of its start. */
export async function answerWaitingCast(
  context: CommandContext,
  { castId, options }: Pick<WaitingCast, "castId" | "options">,
  how: PersonAnswer,
): Promise<Result<StartedCast>> {
  const busy = requireFreeSession(context);
  if (!busy.ok) return busy;
  const trusted = await resolveTrustedProject(context, options);
  if (!trusted.ok) return trusted;
  const said = how.kind === "finish" ? undefined : how.text;
  const prepare: CastToRun["prepare"] = (asker) => prepareStoppedCast(castId, how, asker);
  return prepareAndRun(context, trusted.value, { options, said, prepare });
}

interface CastToRun {
  readonly options: Options;
  readonly prepare: (asker: CommandCaller) => Promise<Result<PreparedCast>>;
  readonly said: string | undefined;
}

async function prepareAndRun(
  context: CommandContext,
  { workspace, remember, vouch }: TrustedProject,
  { options, said, prepare }: CastToRun,
): Promise<Result<StartedCast>> {
  const { user, screen } = context;
  const controller = new AbortController();
  const control = createTurnControl(turnCallbacks(context, controller));
  // Without a person at the screen nobody can refine: the agent answers once and the cast waits.
  const visible: VisibleTurns | undefined = screen.isWatched ? createVisibleTurns(user) : undefined;
  const openReal: CommandCaller["openReal"] = (choice, patience) =>
    createUserAgentHost(user, { choice, patience, visible, control });
  const prepared = await prepare({
    options,
    workspace,
    openReal,
    texts: { from: user.ctx.cwd },
    tellsBill: screen.isWatched,
    remember,
    ...(options.detach ? detachingCaller(user) : {}),
  });
  if (!prepared.ok) return prepared;
  if (options.detach) return startDetached(context, prepared.value, vouch);
  const { past: shared, castId, file } = prepared.value;
  const begun = shared ? ok({ events: shared }) : await workspace.store.load(castId);
  if (!begun.ok) return begun;
  const transcripts = await followRehearsal(context, workspace, prepared.value);
  const busy = requireFreeSession(context);
  if (!busy.ok) return busy;
  showNotes(screen, prepared.value.notes);
  const past = { file, events: begun.value.events };
  const agents = { controller, control, visible, transcripts };
  const run = { options, cwd: user.ctx.cwd, prepared: prepared.value, past, workspace, ...agents, vouch, said };
  return ok({ done: runCastInSession(context, run) });
}

/** [X1] Commands in them as they are typed in Pi. */
export function showNotes(screen: Screen, notes: readonly string[]): void {
  for (const text of notes) screen.note(plainText(withProgramName([line(text)], COMMAND_PREFIX)));
}

/** [YT8] A background process has the models of Pi, not those that only this session was given. */
function detachingCaller(user: UserSession): Pick<CommandCaller, "openReal" | "detachedAgents"> {
  const model = sessionModel(user.ctx);
  return {
    openReal: (choice, patience) => openPiHost({ ...withoutUndefined({ model }), ...choice }, patience),
    detachedAgents: detachedAgents(user),
  };
}

async function startDetached(
  { screen }: CommandContext,
  { castId, notes, run }: PreparedCast,
  vouch: TrustedProject["vouch"],
): Promise<Result<StartedCast>> {
  showNotes(screen, notes);
  vouch?.();
  const started = await run({ signal: new AbortController().signal });
  if (!started.ok) return started;
  if (screen.isWatched) screen.note(`The cast runs in the background: /materia watch ${castId}`);
  else screen.showAnswer({ lines: [line(castId)], data: { castId }, code: 0 });
  return ok({ done: Promise.resolve() });
}

/** [X43] A rehearsed agent has no session to look at, but it writes a transcript. */
async function followRehearsal(
  { screen, state }: CommandContext,
  { store, place: { cwd } }: Workspace,
  { file }: PreparedCast,
): Promise<TranscriptFollower | undefined> {
  if (file.rehearsal === null) return undefined;
  const { conversations } = state;
  const onProblem = (words: string): void => screen.note(words, "error");
  return followTranscripts({ pi: await loadPi(), store, cwd, conversations, onProgress: () => undefined, onProblem });
}

export async function resolveTrustedProject(
  { user: { ctx } }: CommandContext,
  options: Options,
): Promise<Result<TrustedProject>> {
  const place = resolveProject(ctx, options);
  return place.ok ? trustProject(ctx, place.value, options) : place;
}

/** [X7] One cast at a time in a session. */
function requireFreeSession({ state: { running } }: CommandContext): Result<undefined> {
  if (!running) return ok(undefined);
  const hint = "wait for it, or stop it with /materia abort";
  return failWith("cast_running", running.castId, "a cast is running in this session", hint);
}
