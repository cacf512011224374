import type { Context, Hono } from "hono";
import { isCasting, type CastingCommand } from "../../../../core/command/command.ts";
import { parseText, type Parsed } from "../../../../core/command/parse.ts";
import { quoteWord } from "../../../../core/command/words.ts";
import { error, fail, type Issue, type Result } from "../../../../core/model/issue.ts";
import type { Rehearsal } from "../../../../core/model/rehearsal.ts";
import { plainText } from "../../../../core/view/text/line.ts";
import { onFleet } from "../../../../core/view/text/typed.ts";
import { readLayer } from "../../../../core/catalog/layer.ts";
import {
  RehearsedCommand,
  TypedCommand,
  type CommandAnswer,
  type ConfigDraft,
} from "../../../../core/wire/commands.ts";
import { trustGiven, type Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { answer } from "../../../../shell/commands/run-command.ts";
import { prepare } from "../../../../shell/commands/prepare.ts";
import { jsonBody, readBody } from "../http/body.ts";
import { refuse, refuseAll } from "../http/reply.ts";
import { inWorkspace, type ServedProject } from "./served-project.ts";

/** How wide the text of an answer is drawn. */
const WIDTH = 100;

export function commandRoutes(app: Hono, served: ServedProject): void {
  app.post(
    "/api/commands",
    jsonBody(1),
    inWorkspace(served, async (c, workspace) => {
      const body = readBody(c, TypedCommand);
      if (!body.ok) return refuse(c, 400, ...body.issues);
      const parsed = parseHere(body.value.command);
      if (!parsed.ok) return refuse(c, 400, ...parsed.issues);
      const drafted = withDraft(workspace, body.value.draft);
      return answerCommand(c, served, { ...parsed.value, workspace: drafted, trust: body.value.trust });
    }),
  );
  app.post(
    "/api/rehearse",
    jsonBody(1),
    inWorkspace(served, async (c, workspace) => {
      const body = readBody(c, RehearsedCommand);
      if (!body.ok) return refuse(c, 400, ...body.issues);
      const parsed = parseHere(rehearsedText(body.value));
      if (!parsed.ok) return refuse(c, 400, ...parsed.issues);
      const { replies, onEmpty, trust } = body.value;
      const drafted = withDraft(workspace, body.value.draft);
      return answerCommand(c, served, { ...parsed.value, workspace: drafted, trust, replies: { replies, onEmpty } });
    }),
  );
}

/** [N37] The project as it would be with what the page has in hand; nothing of that is written anywhere but into the cast. */
function withDraft(workspace: Workspace, draft: ConfigDraft | undefined): Workspace {
  if (!draft) return workspace;
  const { materia, loadouts } = readLayer("explicit", draft);
  const { catalog } = workspace;
  return {
    ...workspace,
    catalog: {
      ...catalog,
      materia: over(catalog.materia, materia),
      loadouts: over(catalog.loadouts, loadouts),
    },
  };
}

function over<T>(below: ReadonlyMap<string, T>, above: ReadonlyMap<string, T | null>): ReadonlyMap<string, T> {
  return new Map([
    ...below,
    ...[...above].flatMap(([name, entry]) => (entry === null ? [] : [[name, entry] as const])),
  ]);
}

/** One grammar: what the page picked is typed for it. */
function rehearsedText({ loadout, targets, prompt }: RehearsedCommand): string {
  if (targets) return `link ${targets.map(quoteWord).join(" ")} -- ${prompt}`;
  return `cast${loadout === undefined ? "" : ` --loadout ${quoteWord(loadout)}`} -- ${prompt}`;
}

function parseHere(text: string): Result<Parsed> {
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  const elsewhere = (["cwd", "config", "artifacts"] as const).filter(
    (name) => parsed.value.options[name] !== undefined,
  );
  if (elsewhere.length === 0) return parsed;
  const hint = 'start another with "materia ui --cwd DIR"';
  return fail(...elsewhere.map((name) => error("bad_option", `--${name}`, "this page serves one project only", hint)));
}

/** What the page asked for, in its project. */
interface PageCommand extends Parsed {
  readonly workspace: Workspace;
  readonly trust: boolean;
  readonly replies?: Rehearsal;
}

async function answerCommand(
  c: Context,
  served: ServedProject,
  { command, workspace, ...how }: PageCommand,
): Promise<Response> {
  const { fleet } = workspace;
  if (how.options.on !== undefined && how.options.on !== fleet?.name)
    return refuse(c, 422, otherCasts(how.options.on, fleet?.name));
  if (command.kind === "worker" || command.kind === "fleet")
    return refuse(c, 422, error("not_here", command.kind, `"${command.kind}" is for a terminal`));
  if (fleet && (command.kind === "fork" || command.kind === "fork_plan"))
    return refuse(
      c,
      422,
      error("not_on_fleet", command.kind, "a fork is made where its files are", "take the cast home first"),
    );
  if (isCasting(command)) return beginCast(c, served, { command, workspace, ...how });
  if (command.kind === "ui" || command.kind === "demo" || command.kind === "watch")
    return refuse(c, 422, error("not_here", command.kind, `"${command.kind}" is for a terminal`));
  const asked =
    (command.kind === "abort" || command.kind === "test") && how.trust ? { ...command, trust: true as const } : command;
  const answered = await answer(asked, workspace, workspace.place.cwd);
  if (!answered.ok) return refuseIn(c, workspace, answered.issues);
  const { code, data, lines } = answered.value;
  return c.json({ code, data, text: plainText(lines(WIDTH)) } satisfies CommandAnswer);
}

/** [B26] With ways out that are typed on the fleet, where the page is one of a fleet. */
function refuseIn(c: Context, { fleet }: Workspace, issues: readonly Issue[]): Response {
  return refuseAll(c, fleet ? onFleet(issues, fleet.name) : issues);
}

function otherCasts(on: string, served: string | undefined): Issue {
  const shows = served === undefined ? "the casts that are kept here" : `the casts of the fleet ${served}`;
  return error("not_here", "--on", `this page shows ${shows}`, `start another with "materia ui --on ${on}"`);
}

/** [N15, B26] The cast goes on in this process or on its fleet; the page hears of it through its stream. */
async function beginCast(
  c: Context,
  { openReal, live, fleet }: ServedProject,
  { command, options, workspace: here, trust, replies }: PageCommand & { readonly command: CastingCommand },
): Promise<Response> {
  const workspace = fleet ? fleet.seenFrom(here, options) : here;
  const given = trust || options.trust ? trustGiven(workspace) : { workspace, remember: () => undefined };
  const prepared = await prepare(command, {
    options: fleet ? { ...options, detach: true } : options,
    openReal,
    trustsCast: trust || options.trust === true,
    ...given,
    ...(replies ? { replies } : {}),
  });
  if (!prepared.ok) return refuseIn(c, workspace, prepared.issues);
  const begun = await live.runs.begin(prepared.value);
  return begun.ok
    ? c.json({ castId: begun.value, notes: [...prepared.value.notes] } satisfies CommandAnswer, 202)
    : refuseIn(c, workspace, begun.issues);
}
