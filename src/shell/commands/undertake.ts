import type { CastEvent } from "../../core/cast/event.ts";
import type { CastingCommand, Command } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { commandText } from "../../core/command/typed.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/never.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { ReadJournal } from "../store/read-journal.ts";
import { castFolder, loadCast, looksLikeCastId } from "../store/cast-store.ts";
import type { Driving } from "../casting/drive.ts";
import type { AgentChoice, OpenHost } from "../casting/hosts.ts";
import { ownCastNamed } from "../casting/named-cast.ts";
import { resumeCast } from "../casting/resume.ts";
import type { Nudge } from "../casting/resume.ts";
import { prepareCast, startCast } from "../casting/start.ts";
import { foreignIssue } from "../casting/foreign.ts";
import { trustIssue } from "../casting/workspace.ts";
import type { Workspace } from "../casting/workspace.ts";
import type { RunEnd } from "../run/run-cast.ts";

/** Who asks for a cast, and who will answer for its agents. */
export interface Asking {
  readonly options: Options;
  readonly workspace: Workspace;
  readonly openReal: OpenHost;
  /** Replies that came with the command, in place of a model. */
  readonly replies?: Rehearsal;
  /** [S10] Whether the person trusts the cast that they named, whoever began it. */
  readonly trustsCast?: boolean;
  /** Keeps the trust that was given with the command; called once, when the command is carried out. */
  readonly remember: () => void;
}

/** A cast that is about to run, new or not. */
export interface Undertaking {
  readonly castId: string;
  readonly file: CastFile;
  /** What happened to it before. */
  readonly events: readonly CastEvent[];
  readonly notes: readonly string[];
  /** Runs it to its end or its next pause. A refusal comes before the first event. */
  readonly run: (driving: RunDriving) => Promise<Result<RunEnd>>;
}

export type RunDriving = Pick<Driving, "signal" | "onEvents" | "onProgress">;

/** What a command asks to run: `cast` and `link` a new cast, `continue` and `recast` one that stopped. */
export async function undertake(command: CastingCommand, asking: Asking): Promise<Result<Undertaking>> {
  const { durability } = asking.options;
  if (durability !== undefined && durability !== "sync" && durability !== "write")
    return fail(error("bad_option", "--durability", `--durability is "write" or "sync", not "${durability}"`));
  switch (command.kind) {
    case "cast":
    case "link":
      return undertakeNew(command, asking);
    case "continue":
      return undertakeAnswer(command, asking);
    case "recast":
      return undertakeRecast(command, asking);
    default:
      return never(command);
  }
}

/** `cast` is a link with one target, so there is one path. */
async function undertakeNew(
  command: Extract<Command, { kind: "cast" | "link" }>,
  asking: Asking,
): Promise<Result<Undertaking>> {
  const { workspace, openReal } = asking;
  const active = workspace.catalog.settings.activeLoadout.value;
  const link =
    command.kind === "link"
      ? command
      : { ...command, targets: [{ kind: "loadout" as const, name: command.loadout ?? active }] };
  const { explicit: config } = workspace.place;
  const typed = commandText(command, { ...asking.options, ...(config === undefined ? {} : { config }) });
  const ready = await prepareCast(workspace, link, { agents: agentChoice(asking), openReal, command: typed });
  if (!ready.ok) return ready;
  const { file, notes } = ready.value;
  const run: Undertaking["run"] = async (driving) => {
    const done = await startCast(ready.value, drivingOf(asking, driving));
    return done.ok ? ok(done.value.end) : done;
  };
  return ok({ castId: file.castId, file, events: [], notes, run });
}

function undertakeAnswer(
  { text, reject }: Extract<Command, { kind: "continue" }>,
  asking: Asking,
): Result<Undertaking> {
  const { workspace } = asking;
  const { root } = workspace;
  const [first = ""] = text.trim().split(/\s+/);
  // A mistyped id is no message for another cast.
  const named = looksLikeCastId(first) || castFolder(root, first).ok;
  const message = (named ? text.trim().slice(first.length) : text).trim();
  const id = ownCastNamed(workspace, named ? first : undefined, ({ status }) => status === "waiting");
  if (!id.ok) return id;
  return undertakeAgain(id.value, answerOf(message, reject), asking);
}

/** Behind a cast id the rest of the line is raw text where it was typed in one piece, an option in it included. */
function answerOf(message: string, reject: boolean): Nudge {
  const behind = /^--reject(?:\s+|$)/.exec(message);
  if (reject || behind) return { kind: "reject", text: message.slice(behind?.[0].length ?? 0).trim() };
  return message === "" ? { kind: "finish" } : { kind: "answer", text: message };
}

function undertakeRecast(command: Extract<Command, { kind: "recast" }>, asking: Asking): Result<Undertaking> {
  const id = ownCastNamed(
    asking.workspace,
    command.castId,
    ({ status }) => status === "failed" || status === "aborted" || status === "interrupted",
  );
  if (!id.ok) return id;
  const { budget, costUsd, allow } = command;
  return undertakeAgain(
    id.value,
    {
      kind: "recast",
      ...(budget === undefined ? {} : { maxTokens: budget }),
      ...(costUsd === undefined ? {} : { maxCostUsd: costUsd }),
      ...(allow === undefined ? {} : { allow }),
    },
    asking,
  );
}

/** A cast that stopped, set going again. */
export function undertakeAgain(castId: string, nudge: Nudge, asking: Asking): Result<Undertaking> {
  const { workspace, openReal, options } = asking;
  const cast = loadCast(workspace.root, castId);
  if (!cast.ok) return cast;
  const { file, journal } = cast.value;
  const trustsCast = asking.trustsCast ?? options.trust === true;
  const refusals = trustsCast ? [] : [trustIssue(workspace) ?? [], foreignIssue(workspace, file) ?? []].flat();
  // [S10] Both at once: a yes to the one must not be one to the other.
  if (refusals.some(({ code }) => code === "foreign_cast")) return fail(...refusals);
  const run: Undertaking["run"] = async (driving) => {
    const choice = {
      agents: agentChoice(asking),
      openReal,
      nudge,
      trustsCast,
      by: `materia ${nudge.kind === "recast" ? "recast" : "continue"}`,
    };
    const done = await resumeCast(workspace, castId, choice, drivingOf(asking, driving));
    return done.ok ? ok(done.value.end) : done;
  };
  return ok({ castId, file, events: journal.events, notes: tornNotes(journal), run });
}

/** [D6] A kill in the middle of a write leaves a line that never counted. */
function tornNotes({ tornBytes }: ReadJournal): readonly string[] {
  return tornBytes > 0 ? [`the journal ended in a line that was cut off (${tornBytes} bytes); it is removed`] : [];
}

function agentChoice({ options: { model, rehearse }, replies }: Asking): AgentChoice {
  const rehearsal = replies ?? rehearse;
  return { ...(model === undefined ? {} : { model }), ...(rehearsal === undefined ? {} : { rehearsal }) };
}

function drivingOf({ options: { durability, model }, remember }: Asking, driving: RunDriving) {
  let carriedOut = false;
  return {
    ...driving,
    durability: durability === "sync" ? ("sync" as const) : ("write" as const),
    ...(model === undefined ? {} : { model }),
    onEvents: ((events, state) => {
      if (!carriedOut) remember();
      carriedOut = true;
      driving.onEvents?.(events, state);
    }) satisfies Driving["onEvents"],
  };
}
