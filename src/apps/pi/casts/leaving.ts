import { askLeave } from "../input/stop-dialogs.ts";
import { thrownMessage } from "../../../core/model/values/text.ts";
import { runUnlessReplaced } from "../session/user-session.ts";
import type { CommandContext } from "./state.ts";

/** [X6] Whether the session may be left, once the person has said what becomes of its cast. */
export async function confirmLeave(context: CommandContext): Promise<boolean> {
  const { user, screen, state } = context;
  const { running } = state;
  if (!running || user.ctx.mode !== "tui") return true;
  const detachable = await running.checkDetach();
  // It may have ended while this was looked at.
  if (state.running !== running) return true;
  const how = await askLeave(user.ctx, detachable, running.endedSignal);
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
export function leavePiIfConfirmed(context: CommandContext): void {
  const { user, screen } = context;
  confirmLeave(context).then(
    (may) => void (may && runUnlessReplaced(() => user.ctx.shutdown())),
    (thrown: unknown) => screen.note(`materia: ${thrownMessage(thrown)}`, "error"),
  );
}
