import {
  failWith,
  suggest,
  typed,
  error,
  fail,
  type HintParts,
  type Issue,
  type Result,
} from "../../core/model/issue.ts";
import type { ReworkDecision } from "../../core/command/command.ts";
import { reworkLimitOf } from "../../core/cast/rework-limit.ts";
import { askedPersonMateria } from "../../core/cast/prompt-text.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { Resumption } from "./resume-cast.ts";

/** [V14] The parent runs an item and merges its work. */
export function itemCastIssue(castId: CastId, parent: CastId, command: string): Issue {
  const hint = suggest`${typed`${command} ${parent}`} takes all of its items`;
  return error("item_cast", castId, `this cast is one item of ${parent}`, hint);
}

export function castEnded(castId: CastId, outcome: string, hint?: HintParts): Result<never> {
  return failWith("cast_finished", castId, `this cast has ended: ${outcome.replace("_", " ")}`, hint);
}

export function resumeRefusal(state: CastState, castId: CastId, how: Resumption): Result<never> | undefined {
  const { phase, item } = state;
  if (item) return fail(itemCastIssue(castId, item.window.parent, "recast"));
  const isPerson = askedPersonMateria(state) !== undefined;
  if (how.kind === "recast") {
    if (phase.kind === "waiting") {
      const hint = isPerson
        ? suggest`say yes with ${typed`continue ${castId}`}, no with ${typed`continue ${castId} --reject REASON`}`
        : suggest`answer it with ${typed`continue ${castId} MESSAGE`}, or finish it with ${typed`continue ${castId}`}`;
      return failWith("awaiting_person", castId, "this cast waits for a person", hint);
    }
    if (phase.kind !== "ended" || phase.outcome === "failed" || phase.outcome === "aborted")
      return how.decision && decisionRefusal(state, castId, how.decision);
    return castEnded(castId, phase.outcome, suggest`start a new one with ${typed`link --from ${castId} …`}`);
  }
  const waiting = phase.kind === "ended" ? phase.before : phase;
  if (waiting.kind === "waiting") return how.kind === "reject" ? rejectRefusal(castId, how.text, isPerson) : undefined;
  const hint =
    phase.kind === "ended"
      ? suggest`${typed`recast ${castId}`} resumes a failed or aborted cast`
      : suggest`${typed`status ${castId}`} says where it is`;
  return failWith("not_awaiting_person", castId, "this cast waits for no answer", hint);
}

/** [R7] A decision applies only when a result was sent back too often. */
function decisionRefusal(state: CastState, castId: string, { kind }: ReworkDecision): Result<never> | undefined {
  const limit = reworkLimitOf(state);
  if (!limit) {
    const message = "this cast has not stopped because a result was sent back too often";
    const onward = suggest`${typed`recast ${castId}`} goes on where it stopped`;
    return failWith("no_rework_decision", `--${kind}`, message, onward);
  }
  if (kind !== "next" || limit.item) return undefined;
  const hint = suggest`${typed`recast ${castId} --accept`} takes the result as it is`;
  return failWith("no_rework_decision", "--next", "this cast has no list of items, so there is no next one", hint);
}

/** [Q7] Only a gate can be rejected, and a rejection needs a reason. */
function rejectRefusal(castId: string, text: string, isPerson: boolean): Result<never> | undefined {
  if (!isPerson) {
    const hint = suggest`tell it what to change: ${typed`continue ${castId} MESSAGE`}`;
    return failWith("rejection_unavailable", castId, "this cast waits with an agent, not at a gate", hint);
  }
  if (text !== "") return undefined;
  const hint = suggest`${typed`continue ${castId} --reject REASON`}`;
  return failWith("missing_reason", "--reject", "--reject needs a reason", hint);
}
