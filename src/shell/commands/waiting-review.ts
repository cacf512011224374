import type { ContinueCommand } from "../../core/command/command.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { oneLine } from "../../core/model/text.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { findOwnCast, mayBeCastName, type Workspace } from "../workspace/workspace.ts";
import { runDiff } from "./diff.ts";
import { WAITING } from "./prepare.ts";

/** The waiting cast of a `continue` without a message. Undefined if there is a message, or if no cast waits. */
export async function castOfBareContinue(
  workspace: Workspace,
  { castId, text, reject, literal }: ContinueCommand,
  current?: CastId,
): Promise<CastId | undefined> {
  const name = castId ?? text.trim();
  if (name === "" && current !== undefined && !reject) return current;
  const isName = name === "" || (!literal && !/\s/.test(name) && (await mayBeCastName(workspace.store, name)));
  if (reject || !isName) return undefined;
  const id = await findOwnCast(workspace, name === "" ? undefined : name, WAITING);
  return id.ok ? id.value : undefined;
}

/** [Q16, X56] What a person must see before they answer a gate. */
export interface GateReview {
  readonly question: string;
  readonly about: readonly Line[];
  /** The whole change; undefined if git cannot say it. */
  readonly patch: (() => Promise<readonly Line[]>) | undefined;
}

export async function loadGateReview(
  workspace: Workspace,
  { castId, request, phase }: CastState,
  width: number,
): Promise<GateReview> {
  const question = phase.kind === "waiting" ? phase.reply : "";
  const changeLines = async (as: "stat" | "patch") => {
    const changed = await runDiff(workspace, { kind: "diff", castId, as });
    return {
      ok: changed.ok,
      lines: changed.ok ? changed.value.lines(width) : changed.issues.map(({ message }) => line(message)),
    };
  };
  const counts = await changeLines("stat");
  const wanted = question.includes(request) ? [] : [line(toned("dim", "Request: "), oneLine(request, 300))];
  const about = [...wanted, line(toned("dim", "Change so far:")), ...counts.lines];
  return { question, about, patch: counts.ok ? async () => (await changeLines("patch")).lines : undefined };
}
