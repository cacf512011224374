import { reworkLimitOf } from "../../../core/cast/limits/rework-limit.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import type { Options } from "../../../core/command/options.ts";
import { thrownMessage } from "../../../core/model/values/text.ts";
import { askReworkDecision } from "../input/rework-dialog.ts";
import { runUnlessReplacedAsync } from "../session/user-session.ts";
import type { CommandContext } from "./state.ts";

/** [X45] Asks what becomes of a cast that stopped because something was sent back too often. It has ended: whoever says nothing loses nothing. */
export function askAtReworkLimit(context: CommandContext, cast: CastState, options: Options): void {
  const { user, screen } = context;
  const limit = reworkLimitOf(cast);
  if (!limit || !screen.isWatched || !user.ctx.hasUI) return;
  runUnlessReplacedAsync(() => askReworkDecision(user.ctx, limit)).then(
    (decision) => {
      if (decision) context.run({ kind: "recast", castId: cast.castId, decision }, options);
    },
    (thrown: unknown) => screen.note(`materia: ${thrownMessage(thrown)}`, "error"),
  );
}
