import * as v from "valibot";
import { type CastingCommand, parseTarget, type CommandOf } from "../../../core/command/command.ts";
import type { Options } from "../../../core/command/options.ts";
import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import type { CommandResult } from "../../../shell/commands/command-output.ts";
import { prepareCommand } from "../../../shell/commands/prepare.ts";
import { runCommand, type ImmediateCommand } from "../../../shell/commands/run-command.ts";
import { openPiHost } from "../../../shell/workspace/agent-hosts.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";

/** What the server was started with. A request may only lower the budget. */
interface ServerLimits {
  readonly options: Options;
  readonly maxTokens: number | undefined;
  readonly maxCostUsd: number | undefined;
}

/** A project that clients of the protocol use. The configuration is read for each call. */
export interface McpProject {
  readonly open: () => Result<Workspace>;
  readonly limits: ServerLimits;
}

function optional<T extends v.GenericSchema>(schema: T, description: string) {
  return v.optional(v.pipe(schema, v.description(description)));
}

const amount = v.pipe(v.number(), v.minValue(0));
const castId = optional(v.string(), "The id of a cast, a unique prefix of it, or last.");
const request = v.pipe(v.string(), v.minLength(1), v.description("What the agents should do."));
const spending = {
  budget: optional(amount, "Tokens that this cast may use at most."),
  cost: optional(amount, "Dollars that this cast may cost at most."),
  worktree: optional(v.boolean(), "Work on a new branch in a separate working tree, so that nobody's files change."),
};

/** [MC2] The longest time that a call waits: some clients end a silent call after a minute. */
const MAX_WAIT_SECONDS = 50;
const seconds = optional(
  v.pipe(amount, v.maxValue(MAX_WAIT_SECONDS)),
  `How long to wait for its end or for a question; ${MAX_WAIT_SECONDS} at most, 45 if unset.`,
);

/** The arguments of each tool. The JSON Schemas that clients see come from here. */
export const TOOL_INPUTS = {
  cast: v.strictObject({
    request,
    loadout: optional(v.string(), "A loadout of the project; the active one if unset."),
    ...spending,
    seconds,
  }),
  link: v.strictObject({
    targets: v.pipe(v.array(v.string()), v.minLength(1), v.description("Materia and loadouts in order, by name.")),
    request,
    from: optional(v.string(), "A cast whose result the new one continues."),
    ...spending,
    seconds,
  }),
  wait: v.strictObject({ castId, seconds }),
  status: v.strictObject({ castId }),
  show: v.strictObject({ castId, visit: optional(v.string(), "One visit, such as Socket-4#2.") }),
  diff: v.strictObject({
    castId,
    place: optional(v.string(), "One visit (Socket-4#2) or item (WI-2)."),
    stat: optional(v.boolean(), "Only a table of the files."),
  }),
  answer: v.strictObject({ castId }),
  abort: v.strictObject({ castId }),
  check: v.strictObject({}),
  loadouts: v.strictObject({}),
} as const;
export type ToolName = keyof typeof TOOL_INPUTS;
export type ToolInput<K extends ToolName> = v.InferOutput<(typeof TOOL_INPUTS)[K]>;

export const TOOL_DESCRIPTIONS: Readonly<Record<ToolName, string>> = {
  cast: "Start a workflow of agents (a loadout) on a request. It runs in a separate process; the result has its id.",
  link: "Start several materia or loadouts in a row, each with the result of the one before.",
  wait: "Wait until a cast ends, or needs a person.",
  status: "Where a cast is: items, tokens, cost, the last event, and what it waits for.",
  show: "The story of a cast: each visit, what it handed on, and why it went on as it did.",
  diff: "What a cast changed in the files.",
  answer: "Ask the person the question that a cast waits with. Only the person's own answer counts.",
  abort: "Stop a cast. It can be continued later in a terminal.",
  check: "All problems of the project's configuration, and the most turns that each loadout can take.",
  loadouts: "The loadouts that can be cast.",
};

export const READ_ONLY_TOOLS: ReadonlySet<ToolName> = new Set(["wait", "status", "show", "diff", "check", "loadouts"]);

/** [MC1] The commands of tools that answer at once. */
export function immediateCommand(name: ToolName, input: object): ImmediateCommand | undefined {
  switch (name) {
    case "status":
    case "abort":
      return { kind: name, ...withoutUndefined(input as ToolInput<"status">) };
    case "show":
      return { kind: "show", markdown: true, ...withoutUndefined(input as ToolInput<"show">) };
    case "diff": {
      const { stat, ...named } = input as ToolInput<"diff">;
      return { kind: "diff", as: stat ? "stat" : "patch", ...withoutUndefined(named) };
    }
    case "check":
      return { kind: "check", strict: false };
    case "loadouts":
      return { kind: "loadout" };
    default:
      return undefined;
  }
}

export async function runImmediate(command: ImmediateCommand, workspace: Workspace): CommandResult {
  return runCommand(command, workspace, workspace.place.cwd);
}

/** [MC3] The command of a new cast, with a budget that the server allows. */
export function newCastCommand(
  input: ToolInput<"cast"> | ToolInput<"link">,
  { maxTokens, maxCostUsd }: Pick<ServerLimits, "maxTokens" | "maxCostUsd">,
): Result<CommandOf<"cast" | "link">> {
  const issues: Issue[] = [
    ...aboveLimit("budget", input.budget, maxTokens, "tokens"),
    ...aboveLimit("cost", input.cost, maxCostUsd, "dollars"),
  ];
  if (issues.length > 0) return fail(...issues);
  const limits = withoutUndefined({ budget: input.budget ?? maxTokens, costUsd: input.cost ?? maxCostUsd });
  if ("targets" in input) {
    const { targets, request: prompt, from } = input;
    return ok({ kind: "link", targets: targets.map(parseTarget), prompt, ...withoutUndefined({ from }), ...limits });
  }
  const { request: prompt, loadout } = input;
  return ok({ kind: "cast", prompt, literal: true, ...withoutUndefined({ loadout }), ...limits });
}

function aboveLimit(name: string, asked: number | undefined, most: number | undefined, unit: string): readonly Issue[] {
  if (asked === undefined || most === undefined || asked <= most) return [];
  const hint = "ask for less, or let the person start the server with more";
  return [error("budget_above_limit", name, `${name} may be at most ${most} ${unit} here`, hint)];
}

/** [MC2] Starts or continues a cast in a separate process, which outlives the server. Returns the id of the cast. */
export async function startDetached(
  command: CastingCommand,
  workspace: Workspace,
  options: Options,
): Promise<Result<string>> {
  const prepared = await prepareCommand(command, {
    options: { ...options, detach: true },
    workspace,
    openReal: openPiHost,
    // [MC4] Trust is given in a terminal, never by a client.
    remember: () => undefined,
  });
  if (!prepared.ok) return prepared;
  const run = await prepared.value.run({ signal: new AbortController().signal });
  return run.ok ? ok(prepared.value.castId) : run;
}
