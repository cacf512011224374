import { suggest, typed, error, fail, type Issue, type Result } from "../../core/model/issue.ts";
import type { ReworkDecision } from "../../core/command/command.ts";
import { reworkLimitOf } from "../../core/cast/rework-limit.ts";
import { askedPersonMateria } from "../../core/cast/prompt-text.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { Resumption } from "./resume-cast.ts";

/** [V14] Its parent drives it, and merges what comes of it. */
export function itemCastIssue(castId: CastId, parent: CastId, command: string): Issue {
  return error(
    "item_cast",
    castId,
    `this cast is one item of ${parent}`,
    suggest`${typed`${command} ${parent}`} takes all of its items`,
  );
}

/** Why a cast cannot be set going in this way, if it cannot. */
export function resumeRefusal(state: CastState, castId: CastId, how: Resumption): Result<never> | undefined {
  const { phase, item } = state;
  if (item) return fail(itemCastIssue(castId, item.window.parent, "recast"));
  const isPerson = askedPersonMateria(state) !== undefined;
  if (how.kind === "recast") {
    if (phase.kind === "waiting")
      return fail(
        error(
          "awaiting_person",
          castId,
          "this cast waits for a person",
          isPerson
            ? suggest`say yes with ${typed`continue ${castId}`}, no with ${typed`continue ${castId} --reject REASON`}`
            : suggest`answer it with ${typed`continue ${castId} MESSAGE`}, or finish it with ${typed`continue ${castId}`}`,
        ),
      );
    if (phase.kind !== "ended" || phase.outcome === "failed" || phase.outcome === "aborted")
      return how.decision && decisionRefusal(state, castId, how.decision);
    return fail(
      error(
        "cast_finished",
        castId,
        `this cast has ended: ${phase.outcome.replace("_", " ")}`,
        suggest`start a new one with ${typed`link --from ${castId} …`}`,
      ),
    );
  }
  const waiting = phase.kind === "ended" ? phase.before : phase;
  if (waiting.kind === "waiting") return how.kind === "reject" ? rejectRefusal(castId, how, isPerson) : undefined;
  return fail(
    error(
      "not_awaiting_person",
      castId,
      `this cast waits for nobody`,
      phase.kind === "ended"
        ? suggest`${typed`recast ${castId}`} resumes a failed or aborted cast`
        : suggest`${typed`status ${castId}`} says where it is`,
    ),
  );
}

/** [R7] There is something to decide only where a result was sent back too often. */
function decisionRefusal(state: CastState, castId: string, { kind }: ReworkDecision): Result<never> | undefined {
  const limit = reworkLimitOf(state);
  if (!limit)
    return fail(
      error(
        "no_rework_decision",
        `--${kind}`,
        "this cast has not stopped because a result was sent back too often",
        suggest`${typed`recast ${castId}`} goes on where it stopped`,
      ),
    );
  if (kind !== "next" || limit.item) return undefined;
  const hint = suggest`${typed`recast ${castId} --accept`} takes the result as it is`;
  return fail(error("no_rework_decision", "--next", "there is no list of items here, so there is no next one", hint));
}

/** [Q7] Only a gate takes a no, and a no needs its reason. */
function rejectRefusal(
  castId: string,
  { text }: Extract<Resumption, { kind: "reject" }>,
  isPerson: boolean,
): Result<never> | undefined {
  if (!isPerson)
    return fail(
      error(
        "rejection_unavailable",
        castId,
        "this cast waits with an agent that goes on answering, not with a gate",
        suggest`tell it what to change: ${typed`continue ${castId} MESSAGE`}`,
      ),
    );
  if (text !== "") return undefined;
  return fail(
    error("missing_reason", "--reject", "a no needs a reason", suggest`${typed`continue ${castId} --reject REASON`}`),
  );
}
