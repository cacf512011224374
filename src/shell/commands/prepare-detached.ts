import type { Options } from "../../core/command/options.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { ok } from "../../core/model/issue.ts";
import { detachCast, optionWords } from "../casting/detach-cast.ts";
import type { PreparedCast } from "../casting/prepared-cast.ts";
import type { Resumption } from "../casting/resume-cast.ts";
import type { CommandCaller } from "./prepare.ts";
import { removeCasts } from "./prune.ts";

type DetachingCaller = Pick<CommandCaller, "workspace" | "options" | "remember" | "trustsCast" | "detachedAgents">;

/** [YT8] A checked cast that a background process of this machine will run. */
export function prepareDetached(
  prepared: PreparedCast,
  { workspace, options, remember, trustsCast, detachedAgents }: DetachingCaller,
  resumed: Resumption | undefined,
): PreparedCast {
  const { castId } = prepared;
  const { store, place } = workspace;
  const run: PreparedCast["run"] = async () => {
    const created = await prepared.create?.();
    if (created?.ok === false) return created;
    // The other process must find the trust that was given here.
    remember();
    const given = optionWords({
      ...detachedAgents,
      ...childOptions(options),
      trust: trustsCast ?? options.trust,
    });
    const words = resumeWords(resumed ?? { kind: "recast" }, castId, given);
    const detached = await detachCast({ castId, place, store, words });
    if (!detached.ok) {
      // A refused command leaves no trace.
      if (created) await removeCasts(workspace, [castId]);
      return detached;
    }
    return ok({ kind: "paused", state: prepared.timeline().state });
  };
  const remarks: PreparedCast["remarks"] = () => [`the cast runs in the background: materia watch ${castId}`];
  return { ...prepared, remarks, run };
}

/** Options of a command that its background process needs. */
export function childOptions({ model, thinking, wait, rehearse, durability, anyway }: Options) {
  const waits = wait === undefined ? undefined : `${wait}ms`;
  return withoutUndefined({ model, thinking, wait: waits, rehearse, durability, anyway });
}

/** The command that the background process runs. */
function resumeWords(how: Resumption, castId: string, options: readonly string[]): readonly string[] {
  if (how.kind !== "recast") {
    const text = how.kind === "finish" ? "" : how.text;
    return [
      "continue",
      ...options,
      ...(how.kind === "reject" ? ["--reject"] : []),
      castId,
      ...(text === "" ? [] : ["--", text]),
    ];
  }
  const { maxTokens: budget, maxCostUsd: cost, allow, decision } = how;
  const decided = decision && (decision.kind === "hint" ? { hint: decision.text } : { [decision.kind]: true });
  return ["recast", ...options, ...optionWords({ budget, cost, allow, ...decided }), castId];
}
