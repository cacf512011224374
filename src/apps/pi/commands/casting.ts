import type { Options } from "../../../core/command/options.ts";
import { error, fail, ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import { join } from "node:path";
import type { Workspace } from "../../../shell/casting/workspace.ts";
import { castIds } from "../../../shell/store/casts.ts";
import { currentOwner } from "../../../shell/store/ownership.ts";
import { undertake, undertakeAgain } from "../../../shell/commands/undertake.ts";
import type { CastingCommand } from "../../../core/command/command.ts";
import type { Asking, Undertaking } from "../../../shell/commands/undertake.ts";
import { openAgents } from "../agents/host.ts";
import { visibleBody } from "../agents/visible.ts";
import type { VisibleBody } from "../agents/visible.ts";
import { openPlace, trustPlace } from "../session/place.ts";
import type { Trusted } from "../session/place.ts";
import { runInSession } from "./running.ts";
import type { Answer, Desk, WaitingCast } from "./state.ts";

/** What has been set going: over when `done` resolves. */
export interface Begun {
  readonly done: Promise<void>;
}

/** `cast`, `link`, `continue` and `recast`: begins, and leaves the waiting to who asked. */
export async function begin(desk: Desk, command: CastingCommand, options: Options): Promise<Result<Begun>> {
  const busy = busyHere(desk);
  if (!busy.ok) return busy;
  const trusted = await trustedPlace(desk, options);
  return trusted.ok ? beginIn(desk, trusted.value, { command, options }) : trusted;
}

export async function beginIn(
  desk: Desk,
  trusted: Trusted,
  { command, options }: { readonly command: CastingCommand; readonly options: Options },
): Promise<Result<Begun>> {
  const free = freeProject(trusted.workspace.root);
  if (!free.ok) return free;
  return take(desk, trusted, { options, ask: (asking) => undertake(command, asking) });
}

/** What the person says to the cast that waits, in the place and with the options that it was begun with. */
export async function answer(desk: Desk, { castId, options }: WaitingCast, nudge: Answer): Promise<Result<Begun>> {
  const busy = busyHere(desk);
  if (!busy.ok) return busy;
  const trusted = await trustedPlace(desk, options);
  if (!trusted.ok) return trusted;
  const ask: Wish["ask"] = async (asking) => undertakeAgain(castId, nudge, asking);
  return take(desk, trusted.value, { options, ask, ...(nudge.kind === "finish" ? {} : { said: nudge.text }) });
}

/** What is to run. */
interface Wish {
  readonly options: Options;
  readonly ask: (asking: Asking) => Promise<Result<Undertaking>>;
  /** The message that goes with it, where there is one. */
  readonly said?: string;
}

async function take(desk: Desk, { workspace, remember }: Trusted, wish: Wish): Promise<Result<Begun>> {
  const { here, screen } = desk;
  const { ask, ...rest } = wish;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  // Without a person at the screen there is nobody to refine with: the agent answers by itself and the cast waits.
  const visible: VisibleBody | undefined = screen.live ? visibleBody(here, abort) : undefined;
  const openReal: Asking["openReal"] = (choice, patience) => openAgents(here, { choice, patience, visible });
  const undertaking = await ask({ options: wish.options, workspace, openReal, remember });
  if (!undertaking.ok) return undertaking;
  const busy = busyHere(desk);
  if (!busy.ok) return busy;
  for (const text of undertaking.value.notes) screen.note(text);
  const { cwd } = here.ctx;
  const run = { ...rest, undertaking: undertaking.value, workspace, controller, visible, cwd };
  return ok({ done: runInSession(desk, run) });
}

async function trustedPlace({ here: { ctx } }: Desk, options: Options): Promise<Result<Trusted>> {
  const place = openPlace(ctx, options);
  return place.ok ? trustPlace(ctx, place.value, options) : place;
}

/** [X7] One cast at a time in a session. */
function busyHere({ state: { running } }: Desk): Result<undefined> {
  if (!running) return ok(undefined);
  return fail(
    error(
      "cast_is_running",
      running.castId,
      "a cast is running in this session",
      "wait for it, or stop it with /materia abort",
    ),
  );
}

const LOOKED_AT = 20;

/** [X7] And one at a time in a project, so that a cast's own agents cannot start another either. */
function freeProject(root: Workspace["root"]): Result<undefined> {
  for (const castId of castIds(root).slice(0, LOOKED_AT)) {
    const owner = currentOwner(join(root, castId));
    if (owner)
      return fail(
        error(
          "cast_is_running",
          castId,
          `process ${owner.pid} on ${owner.host} runs a cast in this project`,
          `wait for it, or stop it with /materia abort ${castId}`,
        ),
      );
  }
  return ok(undefined);
}
