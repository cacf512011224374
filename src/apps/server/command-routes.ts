import { suggest, typed, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { resolve } from "node:path";
import type { Context, Hono } from "hono";
import {
  isCastingCommand,
  isTerminalCommand,
  parseTarget,
  type CastCommand,
  type CastingCommand,
  type DraftCommand,
  type LinkCommand,
} from "../../core/command/command.ts";
import type { QueueRun } from "../../core/command/queue-command.ts";
import type { ParsedCommand } from "../../core/command/command-input.ts";
import { parseText } from "../../core/command/parse.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import { plainText } from "../../core/view/line.ts";
import { withFleetOption } from "../../core/view/issues.ts";
import { withLayer } from "../../core/catalog/catalog.ts";
import { readLayer } from "../../core/catalog/layer.ts";
import { RehearsalRequest, CommandRequest, type CommandResponse, type ConfigDraft } from "../../core/wire/commands.ts";
import { asTrusted, type Workspace } from "../../shell/workspace/workspace.ts";
import { runCommand } from "../../shell/commands/run-command.ts";
import { draftFromConfig, type Draft } from "../../core/draft/draft.ts";
import { isJsonObject, withoutUndefined } from "../../core/model/json.ts";
import { draftData, draftLines, makeDraft, readDraftSource } from "../../shell/commands/draft.ts";
import { startQueueRun } from "../../shell/commands/queue.ts";
import { agentSourceOf, prepareCommand } from "../../shell/commands/prepare.ts";
import { refuse, refuseByCode } from "./body-and-reply.ts";
import { workspaceRoutes, type ServedProject } from "./served-project.ts";

const TEXT_WIDTH = 100;

export function commandRoutes(app: Hono, served: ServedProject): void {
  const { post } = workspaceRoutes(app, served);
  post("/api/commands", CommandRequest, (c, workspace, body) => {
    const { trust, draft } = body;
    const parsed =
      "options" in body ? ok({ command: body.command, options: body.options }) : parsePageText(body.command);
    if (!parsed.ok) return refuse(c, 400, ...parsed.issues);
    const { command, options } = parsed.value;
    // The new materia of an unsaved draft may change, too.
    if (command.kind === "draft" && isJsonObject(draft))
      return answerDraft(c, served, { command, options, workspace, trust, source: draftFromConfig(draft) });
    return showCommandOutput(c, served, { ...parsed.value, workspace: withDraft(workspace, draft), trust });
  });
  post("/api/rehearse", RehearsalRequest, (c, here, body) => {
    const { replies, onEmpty, trust, draft } = body;
    const [command, workspace] = [rehearsalCommand(body), withDraft(here, draft)];
    return showCommandOutput(c, served, { command, options: {}, workspace, trust, replies: { replies, onEmpty } });
  });
}

/** [N37] The project with the unsaved draft. The draft is written only into the cast. */
function withDraft(workspace: Workspace, draft: ConfigDraft | undefined): Workspace {
  if (!draft) return workspace;
  return { ...workspace, catalog: withLayer(workspace.catalog, readLayer("explicit", draft)) };
}

function rehearsalCommand({ loadout, targets, prompt }: RehearsalRequest): CastCommand | LinkCommand {
  if (targets) return { kind: "link", targets: targets.map(parseTarget), prompt };
  return { kind: "cast", prompt, literal: true, ...withoutUndefined({ loadout }) };
}

function parsePageText(text: string): Result<ParsedCommand> {
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  const elsewhere = (["cwd", "config", "artifacts"] as const).filter(
    (name) => parsed.value.options[name] !== undefined,
  );
  if (elsewhere.length === 0) return parsed;
  const hint = suggest`start another with ${typed`ui --cwd DIR`}`;
  return fail(...elsewhere.map((name) => error("bad_option", `--${name}`, "this page serves one project only", hint)));
}

interface PageCommand extends ParsedCommand {
  readonly workspace: Workspace;
  readonly trust: boolean;
  readonly replies?: Rehearsal;
}

async function showCommandOutput(
  c: Context,
  served: ServedProject,
  { command, workspace, ...how }: PageCommand,
): Promise<Response> {
  const { fleet } = workspace;
  if (how.options.on !== undefined && how.options.on !== fleet?.name)
    return refuse(c, 422, otherFleetIssue(how.options.on, fleet?.name));
  if (isTerminalCommand(command) || command.kind === "ui" || command.kind === "demo" || command.kind === "watch")
    return refuse(c, 422, error("command_unavailable", command.kind, `"${command.kind}" works only in a terminal`));
  const local = "a fork needs its files on this machine";
  if (fleet && (command.kind === "fork" || command.kind === "fork_plan"))
    return refuse(c, 422, error("unsupported_on_fleet", command.kind, local, "take the cast home first"));
  if (isCastingCommand(command)) return startPageCast(c, served, { command, workspace, ...how });
  if (command.kind === "queue" && command.action === "run") return answerQueueRun(c, { command, workspace, ...how });
  if (command.kind === "draft") return answerDraft(c, served, { command, workspace, ...how });
  const asked =
    (command.kind === "abort" || command.kind === "test") && how.trust ? { ...command, trust: true as const } : command;
  const answered = await runCommand(asked, workspace, workspace.place.cwd);
  return sendOutput(c, workspace, answered);
}

function sendOutput(c: Context, workspace: Workspace, output: Awaited<ReturnType<typeof runCommand>>): Response {
  if (!output.ok) return refuseInWorkspace(c, workspace, output.issues);
  const { code, data, lines } = output.value;
  return c.json({ code, data, text: plainText(lines(TEXT_WIDTH)) } satisfies CommandResponse);
}

/** [YQ8] The queue outlives this server. */
async function answerQueueRun(
  c: Context,
  { command, options, workspace, trust }: PageCommand & { readonly command: QueueRun },
): Promise<Response> {
  const given = trust ? asTrusted(workspace) : { workspace, remember: () => undefined };
  const asked = trust ? { ...options, trust } : options;
  return sendOutput(c, workspace, await startQueueRun(command, { options: asked, ...given }));
}

/** [YD15] A draft for the canvas. The page itself saves and casts. */
async function answerDraft(
  c: Context,
  { openReal }: ServedProject,
  {
    command,
    options,
    workspace,
    source,
  }: PageCommand & { readonly command: DraftCommand; readonly source?: Result<Draft> },
): Promise<Response> {
  const { words, from: named } = command;
  const { cwd } = workspace.place;
  const from = named === undefined ? ok(undefined) : (source ?? readDraftSource(workspace, named, resolve(cwd, named)));
  if (!from.ok) return refuseByCode(c, from.issues);
  const agents = agentSourceOf({ options, openReal });
  const draft = await makeDraft(workspace, { words, from: from.value, agents, signal: c.req.raw.signal });
  if (!draft.ok) return refuseInWorkspace(c, workspace, draft.issues);
  const text = plainText(draftLines(draft.value, TEXT_WIDTH));
  return c.json({ code: 0, data: draftData(draft.value), text } satisfies CommandResponse);
}

/** [B69] Hints name commands with the option of the fleet. */
function refuseInWorkspace(c: Context, { fleet }: Workspace, issues: readonly Issue[]): Response {
  return refuseByCode(c, fleet ? withFleetOption(issues, fleet.name) : issues);
}

function otherFleetIssue(on: string, served: string | undefined): Issue {
  const shows = served === undefined ? "the casts of this machine" : `the casts of the fleet ${served}`;
  const hint = suggest`start another with ${typed`ui --on ${on}`}`;
  return error("command_unavailable", "--on", `this page shows ${shows}`, hint);
}

/** [N15, B68] The cast runs in this process or on its fleet; the page follows its stream. */
async function startPageCast(
  c: Context,
  { openReal, live, fleet }: ServedProject,
  { command, options, workspace: here, trust, replies }: PageCommand & { readonly command: CastingCommand },
): Promise<Response> {
  const workspace = fleet ? fleet.workspaceFor(here, options) : here;
  const given = trust || options.trust ? asTrusted(workspace) : { workspace, remember: () => undefined };
  const prepared = await prepareCommand(command, {
    options: fleet ? { ...options, detach: true } : options,
    openReal,
    trustsCast: trust || options.trust === true,
    ...given,
    ...withoutUndefined({ replies }),
  });
  if (!prepared.ok) return refuseInWorkspace(c, workspace, prepared.issues);
  const begun = await live.runs.begin(prepared.value);
  return begun.ok
    ? c.json({ castId: begun.value, notes: [...prepared.value.notes] } satisfies CommandResponse, 202)
    : refuseInWorkspace(c, workspace, begun.issues);
}
