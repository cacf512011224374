import { askLeave } from "../input/stop-dialogs.ts";
import { thrownText } from "../../../core/model/values/text.ts";
import { unlessReplaced } from "../session/user-session.ts";
import type { CommandContext } from "./state.ts";

/** [X6] Whether the session may be left, once the person has said what becomes of its cast. */
export async function mayLeave(context: CommandContext): Promise<boolean> {
  const { user, screen, state } = context;
  const { running } = state;
  if (!running || user.ctx.mode !== "tui") return true;
  const detachable = await running.detachable();
  // It may have ended while this was looked at.
  if (state.running !== running) return true;
  const how = await askLeave(user.ctx, detachable, running.over);
  // It may have ended while the person was making up their mind.
  if (!how) return state.running === undefined;
  running.stop(how);
  await running.done;
  if (how !== "detach") return true;
  const detached = await running.detach(detachable.agents);
  if (!detached.ok) {
    screen.refuse(detached.issues);
    return false;
  }
  screen.note(`The cast goes on in process ${detached.value}: /materia watch ${running.castId}`);
  return true;
}

/** A key that leaves Pi: it is left when the person has said so. */
export function leavePi(context: CommandContext): void {
  const { user, screen } = context;
  mayLeave(context).then(
    (may) => void (may && unlessReplaced(() => user.ctx.shutdown())),
    (thrown: unknown) => screen.note(`materia: ${thrownText(thrown)}`, "error"),
  );
}
