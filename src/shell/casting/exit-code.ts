import { assertNever } from "../../core/model/values/never.ts";
import type { RunOutcome } from "../run/run-cast.ts";

/** [C10] How a cast ended, as scripts and CI read it; the same in every face. */
export function exitCodeFor(end: RunOutcome): number {
  if (end.kind === "waiting") return 4;
  if (end.kind === "paused") return 130;
  const { phase } = end.state;
  if (end.kind === "broken" || phase.kind !== "ended") return 1;
  switch (phase.outcome) {
    case "completed":
      return 0;
    case "failed":
      return 1;
    case "not_satisfied":
      return 3;
    case "aborted":
      return 130;
    default:
      return assertNever(phase.outcome);
  }
}
