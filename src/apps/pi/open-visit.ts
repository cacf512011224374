import { failWith, suggest, typed, ok, type Result } from "../../core/model/issue.ts";
import { rmSync } from "node:fs";
import type { OpenCommand } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { openVisitSession } from "../../shell/commands/open.ts";
import { askToTrustCast, resolveProject } from "./session/project.ts";
import type { CommandContext } from "./casts/session-state.ts";

/** [X44] Opens the conversation of a visit in place of this session, which is kept. Asks first if a cast runs. */
export async function switchToVisit(
  context: CommandContext,
  command: OpenCommand,
  options: Options,
): Promise<Result<undefined>> {
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
  const { session } = opened.value;
  const words = `This is a copy of ${opened.value.materia}'s conversation; the cast does not change. /resume brings your session back`;
  const switched = await switchTo?.(session, words);
  // The person stays here, so there is nothing to come back to.
  if (switched?.cancelled !== false) rmSync(session, { force: true });
  return ok(undefined);
}
