import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { sanitizeForTerminal } from "../../../core/model/values/text.ts";
import { userOpenedDialogs } from "../tui/calm-dialogs.ts";

/** How a cast is left or stopped. */
export type StopChoice = "detach" | "pause" | "abort";

const GO_ON = "Go on";
const SAY = "Say something to the agent";
const PAUSE = "Pause: it goes on later with /materia recast";
const ABORT = "Abort";
const DETACH = "Detach: it goes on in the background";
const STAY = "Stay";

/** [X35] After a turn was interrupted. A dialog that is left without a choice stops nothing for good and spends nothing more: it pauses. */
export async function askAfterInterrupt(
  ctx: ExtensionContext,
  who: string,
  signal: AbortSignal,
): Promise<
  { readonly kind: "go_on" } | { readonly kind: "say"; readonly text: string } | { readonly kind: StopChoice }
> {
  for (;;) {
    const chosen = await userOpenedDialogs(ctx).select(
      `${who} is interrupted. How does it go on?`,
      [GO_ON, SAY, PAUSE, ABORT],
      { signal },
    );
    if (chosen === GO_ON) return { kind: "go_on" };
    if (chosen === ABORT) return { kind: "abort" };
    if (chosen !== SAY) return { kind: "pause" };
    const text = (await userOpenedDialogs(ctx).input(`What should ${who} know?`, "", { signal }))?.trim() ?? "";
    if (text !== "") return { kind: "say", text };
  }
}

/** Where no agent can be interrupted: a program goes on while this is asked. */
export async function askStop(ctx: ExtensionContext, signal: AbortSignal): Promise<StopChoice | undefined> {
  const chosen = await userOpenedDialogs(ctx).select("The cast goes on while you decide. Stop it?", [GO_ON, PAUSE, ABORT], {
    signal,
  });
  return chosen === PAUSE ? "pause" : chosen === ABORT ? "abort" : undefined;
}

/** What is said about leaving a cast to a process of its own: what will be otherwise there, or why it cannot be. */
export interface DetachNotes {
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** [X6] Nothing where the person stays. */
export async function askLeave(
  ctx: ExtensionContext,
  { refusals, notes }: DetachNotes,
  signal: AbortSignal,
): Promise<StopChoice | undefined> {
  const known =
    refusals.length > 0
      ? refusals.map((why) => `It cannot be detached: ${why}`)
      : notes.map((note) => `Detached: ${note}`);
  const title = ["A cast is running. What becomes of it?", ...known].map(sanitizeForTerminal).join("\n");
  const options = [...(refusals.length > 0 ? [] : [DETACH]), PAUSE, ABORT, STAY];
  const chosen = await userOpenedDialogs(ctx).select(title, options, { signal });
  return STOP_CHOICES.get(chosen ?? STAY);
}

const STOP_CHOICES: ReadonlyMap<string, StopChoice> = new Map([
  [DETACH, "detach"],
  [PAUSE, "pause"],
  [ABORT, "abort"],
]);
