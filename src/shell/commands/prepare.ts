import type { CastingCommand, ContinueCommand, ForkCommand, CommandOf } from "../../core/command/command.ts";
import { commandText } from "../../core/command/command-text.ts";
import {
  runOptionIssues,
  worktreeOptionIssues,
  thinkingLevelOption,
  type Options,
} from "../../core/command/options.ts";
import type { CastStatus } from "../../core/cast/summary.ts";
import type { CastId } from "../../core/model/ids.ts";
import { failWith, fail, ok, type Issue, type Result, suggest, typed, withHintParts } from "../../core/model/issue.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import type { PreparedCast } from "../casting/prepared-cast.ts";
import {
  findBusyTreeIssue,
  type Workspace,
  LAST_CAST,
  looksLikeCastId,
  mayBeCastName,
  findCast,
  findOwnCast,
  type RequestedCast,
} from "../workspace/workspace.ts";
import type { AgentSource, OpenAgentHost } from "../workspace/agent-hosts.ts";
import { resumedGraphNote } from "../casting/rerun-cast.ts";
import { prepareResume, type Resumption } from "../casting/resume-cast.ts";
import { prepareCast } from "../casting/start-cast.ts";
import { fleetOptionIssues, prepareResumeOnFleet, prepareSubmission } from "./prepare-on-fleet.ts";
import { prepareDetached } from "./prepare-detached.ts";
import { prepareCastFork } from "./fork.ts";
import { firstWord, readCommandText, type TextSource } from "./command-text.ts";
import { withoutUndefined } from "../../core/model/json.ts";

/** The caller of a command: its options, the project, and the face's host for real models. */
export interface CommandCaller {
  readonly options: Options;
  readonly workspace: Workspace;
  readonly openReal: OpenAgentHost;
  readonly texts?: TextSource;
  /** Replies that came with the command, in place of a model. */
  readonly replies?: Rehearsal;
  /** [T27] Whether to show the bill before a cast. */
  readonly tellsBill?: boolean;
  /** [S14] Whether the person trusts the named cast, even one that was started elsewhere. */
  readonly trustsCast?: boolean;
  /** [YT8] The thinking level of a background process, if the caller has its own. */
  readonly detachedAgents?: Pick<Options, "thinking">;
  /** Remembers the trust given with the command; called once, when the command runs. */
  readonly remember: () => void;
}

/** A command that runs a cast: `cast` and `link` start one, `continue` and `recast` resume one. */
export async function prepareCommand(command: CastingCommand, asker: CommandCaller): Promise<Result<PreparedCast>> {
  const refused = [
    ...runOptionIssues(asker.options),
    ...worktreeOptionIssues(asker.options),
    ...(asker.workspace.fleet ? [] : fleetOptionIssues(asker.options)),
  ];
  if (refused.length > 0) return fail(...refused);
  switch (command.kind) {
    case "cast":
    case "link":
      return prepareNewCast(command, asker);
    case "continue":
      return prepareAnswer(command, asker);
    case "recast":
      return prepareRecast(command, asker);
    case "fork":
      return prepareForkedCast(command, asker);
  }
}

/** [S14] Only a named cast can be trusted. */
export function namesSpecificCast(command: CastingCommand): boolean {
  if (command.kind === "continue")
    return command.castId !== undefined || (!command.literal && looksLikeCastId(firstWord(command.text)));
  return command.kind === "recast" && command.castId !== undefined && command.castId !== LAST_CAST;
}

/** `cast` is a link with one target: one path for both. */
async function prepareNewCast(typed: CommandOf<"cast" | "link">, asker: CommandCaller): Promise<Result<PreparedCast>> {
  const { workspace } = asker;
  const prompt = await readCommandText(typed.prompt, typed.kind === "cast" && typed.literal ? undefined : asker.texts);
  if (!prompt.ok) return prompt;
  if (prompt.value.trim() === "") return failWith("missing_prompt", typed.kind, "a cast needs a prompt");
  // Written down by its id: another cast is the last one later.
  const from = typed.kind === "link" && typed.from ? await findCast(workspace.store, typed.from) : undefined;
  const command = { ...typed, prompt: prompt.value, ...(from?.ok ? { from: from.value } : {}) };
  const active = workspace.catalog.settings.activeLoadout.value;
  const link =
    command.kind === "link"
      ? command
      : { ...command, targets: [{ kind: "loadout" as const, name: command.loadout ?? active }] };
  const { explicitFile: config } = workspace.place;
  const text = commandText(command, { ...asker.options, ...withoutUndefined({ config }) });
  const dear = await checkForecast(asker, link);
  if (dear.issue) return fail(dear.issue);
  const { fleet } = workspace;
  if (fleet) return prepareSubmission(link, agentSourceOf(asker), asker, { fleet, text });
  const { worktree, "with-changes": withChanges } = asker.options;
  const tree = worktree ? (withChanges ? "changes" : "head") : undefined;
  const prepared = await prepareCast(workspace, link, agentSourceOf(asker), { text, tree });
  if (!prepared.ok) return prepared;
  const notes = [...prepared.value.notes, ...(dear.note === undefined ? [] : [dear.note])];
  return withCaller(asker, { ...prepared.value, notes });
}

async function prepareAnswer(command: ContinueCommand, asker: CommandCaller): Promise<Result<PreparedCast>> {
  const { castId, text, reject, literal } = command;
  if (castId !== undefined) {
    const named = await findOwnCast(asker.workspace, castId, WAITING);
    return named.ok ? prepareStoppedCast(named.value, answerFor(text.trim(), reject), asker) : named;
  }
  const first = firstWord(text);
  // A mistyped id is not a message for another cast.
  const named = !literal && (await mayBeCastName(asker.workspace.store, first));
  const id = await findOwnCast(asker.workspace, named ? first : undefined, WAITING);
  if (!id.ok) return named ? fail(...id.issues.map(withDelimiterHint)) : id;
  const typed = (named ? text.trim().slice(first.length) : text).trim();
  const message = await readCommandText(typed, literal ? undefined : asker.texts);
  return message.ok ? prepareStoppedCast(id.value, parseAnswer(message.value, reject), asker) : message;
}

export const WAITING: RequestedCast = {
  matches: ({ status }) => status === "waiting",
  noneMessage: "no cast here waits for an answer",
};

/** [C47] The word was read as a cast: explain how to write it as a message. */
function withDelimiterHint(issue: Issue): Issue {
  if (issue.code !== "unknown_cast" && issue.code !== "ambiguous_cast") return issue;
  const rest = issue.hintParts ?? (issue.hint === undefined ? [] : [issue.hint]);
  const separator = rest.length === 0 ? "" : "; ";
  const delimiter = suggest`${separator}write a message that begins so after "--": ${typed`continue -- …`}`;
  return withHintParts(issue, [...rest, ...delimiter]);
}

const RESUMABLE: ReadonlySet<CastStatus> = new Set(["failed", "aborted", "interrupted", "paused", "sleeping"]);

const STOPPED: RequestedCast = {
  matches: ({ status }) => RESUMABLE.has(status),
  noneMessage: "no cast here failed, was paused, aborted or interrupted",
  newestFor: "recast",
};

/** After a cast id the rest of the line is raw text if it was typed in one piece, options included. */
function parseAnswer(message: string, reject: boolean): Resumption {
  const behind = /^--reject(?:\s+|$)/.exec(message);
  return answerFor(message.slice(behind?.[0].length ?? 0).trim(), reject || behind !== null);
}

function answerFor(message: string, reject: boolean): Resumption {
  if (reject) return { kind: "reject", text: message };
  return message === "" ? { kind: "finish" } : { kind: "answer", text: message };
}

async function prepareRecast(command: CommandOf<"recast">, asker: CommandCaller): Promise<Result<PreparedCast>> {
  const id = await findOwnCast(asker.workspace, command.castId, STOPPED);
  if (!id.ok) return id;
  if (command.edited && asker.workspace.fleet)
    return failWith("unsupported_on_fleet", "--edited", "fork cannot run on a fleet");
  const file = asker.options.worktree ? await asker.workspace.store.readCastFile(id.value) : undefined;
  const isApart = file !== undefined && !(file.ok && file.value.ownWorktree !== undefined);
  if (isApart && (command.allow !== undefined || command.decision))
    return failWith("bad_option", "--worktree", "--worktree starts a fork, which takes no --allow and no decision");
  // [YT9] What the cast wrote in the person's tree stays there.
  if (command.edited || isApart) return prepareForkedCast({ kind: "fork", castId: id.value }, asker);
  const { budget: maxTokens, costUsd: maxCostUsd, allow, decision } = command;
  const raised = withoutUndefined({ maxTokens, maxCostUsd, allow, decision });
  return prepareStoppedCast(id.value, { kind: "recast", ...raised }, asker);
}

export async function prepareStoppedCast(
  castId: CastId,
  how: Resumption,
  asker: CommandCaller,
): Promise<Result<PreparedCast>> {
  const { workspace, options } = asker;
  const trustsCast = asker.trustsCast ?? options.trust === true;
  const by = `materia ${how.kind === "recast" ? "recast" : "continue"}`;
  const { fleet } = workspace;
  if (fleet) return prepareResumeOnFleet(castId, { how, by, fleet }, asker);
  const prepared = await prepareResume(workspace, { castId, how, by, trustsCast }, agentSourceOf(asker));
  if (!prepared.ok) return prepared;
  const { file, notes } = prepared.value;
  const started = how.kind === "recast" ? [resumedGraphNote(workspace, file)] : [];
  return withCaller(asker, { ...prepared.value, notes: [...started, ...notes] }, how);
}

/** Applies the checks and options of the command to a cast that is ready to run. */
async function withCaller(
  asker: CommandCaller,
  prepared: PreparedCast,
  resumed?: Resumption,
): Promise<Result<PreparedCast>> {
  const { options, workspace, remember } = asker;
  // Check last, after everything slow: the cast starts right after. [YT3] Nothing else works in its own tree.
  const isAlone = options.anyway === true || prepared.file.ownWorktree !== undefined;
  const busy = isAlone ? undefined : await findBusyTreeIssue(workspace, resumed && prepared.castId);
  if (busy) return fail(busy);
  if (options.detach) return ok(prepareDetached(prepared, asker, resumed));
  const run: PreparedCast["run"] = (observer) => {
    let isRemembered = false;
    return prepared.run({
      ...observer,
      durability: options.durability === "sync" ? "sync" : "write",
      onSteps: (steps) => {
        if (!isRemembered) remember();
        isRemembered = true;
        observer.onSteps?.(steps);
      },
    });
  };
  return ok({ ...prepared, run });
}

/** [T24] Ask before anything starts. */
async function checkForecast(
  { options, workspace, tellsBill }: CommandCaller,
  { targets, budget: maxTokens, costUsd: maxCostUsd }: Pick<CommandOf<"link">, "targets" | "budget" | "costUsd">,
): Promise<{ readonly issue?: Issue; readonly note?: string }> {
  const most = options["max-forecast"];
  const tells = tellsBill === true && options.rehearse === undefined;
  if (most === undefined && !tells) return {};
  const { billNote, checkForecastLimit: heldBack } = await import("./forecast.ts");
  const what = { targets, model: options.model };
  if (most !== undefined) return heldBack(workspace, what, most);
  const note = await billNote(workspace, what, withoutUndefined({ maxTokens, maxCostUsd }));
  return note === undefined ? {} : { note };
}

/** [T20] Starts a new cast with the past of another. */
async function prepareForkedCast(command: ForkCommand, asker: CommandCaller): Promise<Result<PreparedCast>> {
  const { workspace, options } = asker;
  const trustsCast = asker.trustsCast ?? options.trust === true;
  const how = { trustsCast, isApart: options.worktree === true };
  const forked = await prepareCastFork(workspace, command, agentSourceOf(asker), how);
  return forked.ok ? withCaller(asker, forked.value) : forked;
}

export function agentSourceOf(caller: Pick<CommandCaller, "options" | "replies" | "openReal">): AgentSource {
  const { options, replies, openReal } = caller;
  const { model, rehearse, wait: waitForProvider } = options;
  const [rehearsal, thinking] = [replies ?? rehearse, thinkingLevelOption(options)];
  return { openReal, ...withoutUndefined({ model, thinking, waitForProvider }), ...withoutUndefined({ rehearsal }) };
}
