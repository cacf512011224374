import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { sanitizeForTerminal, oneLine } from "../../../core/model/text.ts";
import { userOpenedDialogs, deferDialogs } from "../session/dialogs.ts";
import type { Resumption } from "../../../shell/casting/resume-cast.ts";
import type { ReworkLimit } from "../../../core/cast/rework-limit.ts";
import type { ReworkDecision } from "../../../core/command/command.ts";

/** How to leave or stop a cast. */
export type StopChoice = "detach" | "pause" | "abort";

const GO_ON = "Continue";
const SAY = "Say something to the agent";
const PAUSE = "Pause: continue later with /materia recast";
const ABORT = "Abort";
const DETACH = "Detach: continue in the background";
const STAY = "Stay";

/** [X58] In every question Esc leaves all as it was; the title says what that is. */
export function withEscape({ mode }: ExtensionContext, title: string, meaning: string): string {
  return mode === "tui" ? `${title}\nEsc: ${meaning}` : title;
}

/** [X35] How the cast should continue. Without an agent that was interrupted, a utility runs on while this is asked. */
export async function askHowToContinue(
  ctx: ExtensionContext,
  who: string | undefined,
  signal: AbortSignal,
): Promise<
  { readonly kind: "go_on" } | { readonly kind: "say"; readonly text: string } | { readonly kind: StopChoice }
> {
  const dialogs = userOpenedDialogs(ctx);
  const asked =
    who === undefined
      ? "The cast continues while you decide. Stop it?"
      : `Interrupted: ${who}. How should it continue?`;
  const options = [GO_ON, ...(who === undefined ? [] : [SAY]), PAUSE, ABORT];
  for (;;) {
    const chosen = await dialogs.select(withEscape(ctx, asked, "it goes on"), options, { signal });
    if (chosen === PAUSE) return { kind: "pause" };
    if (chosen === ABORT) return { kind: "abort" };
    if (chosen !== SAY) return { kind: "go_on" };
    const text = (await dialogs.input(`What should ${who} know?`, "", { signal }))?.trim() ?? "";
    if (text !== "") return { kind: "say", text };
  }
}

const WAKE = "Wake it now";
const OTHER_MODEL = "Use another model";
const SLEEP_ON = "Let it sleep";

export type SleepDecision = { readonly kind: "wake" | "abort" } | { readonly kind: "model"; readonly name: string };

/** [Z11] Undefined if it sleeps on. */
export async function askSleepDecision(
  ctx: ExtensionContext,
  why: string,
  signal: AbortSignal,
): Promise<SleepDecision | undefined> {
  const options = [SLEEP_ON, WAKE, OTHER_MODEL, ABORT];
  const chosen = await userOpenedDialogs(ctx).select(
    withEscape(ctx, sanitizeForTerminal(why), "it sleeps on"),
    options,
    { signal },
  );
  if (chosen === WAKE) return { kind: "wake" };
  if (chosen === ABORT) return { kind: "abort" };
  if (chosen !== OTHER_MODEL) return undefined;
  for (let problem = ""; ;) {
    const title = `${problem}Which model? (provider/id)`;
    const name = (await userOpenedDialogs(ctx).input(title, "", { signal }))?.trim() ?? "";
    if (name === "") return undefined;
    // Pi refuses an unknown one only when the cast no longer sleeps.
    const unknown = name.split(",").find((each) => !isKnownModel(ctx, each.trim()));
    if (unknown === undefined) return { kind: "model", name };
    problem = `Pi knows no model "${sanitizeForTerminal(unknown.trim())}". `;
  }
}

function isKnownModel({ modelRegistry }: ExtensionContext, name: string): boolean {
  return modelRegistry.getAll().some(({ provider, id }) => `${provider}/${id}` === name);
}

/** Notes about detaching a cast: what will differ, or why it is not possible. */
export interface DetachNotes {
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** [X6] Undefined if the person stays. */
export async function askLeave(
  ctx: ExtensionContext,
  { refusals, notes }: DetachNotes,
  signal: AbortSignal,
): Promise<StopChoice | undefined> {
  const known =
    refusals.length > 0
      ? refusals.map((why) => `It cannot be detached: ${why}`)
      : notes.map((note) => `Detached: ${note}`);
  const about = ["A cast is running. What should happen to it?", ...known].map(sanitizeForTerminal).join("\n");
  const title = withEscape(ctx, about, "stay · Ctrl+C: pause it and leave");
  const options = [...(refusals.length > 0 ? [] : [DETACH]), PAUSE, ABORT, STAY];
  const chosen = await userOpenedDialogs(ctx).select(title, options, { signal });
  return STOP_CHOICES.get(chosen ?? STAY);
}

const STOP_CHOICES: ReadonlyMap<string, StopChoice> = new Map([
  [DETACH, "detach"],
  [PAUSE, "pause"],
  [ABORT, "abort"],
]);

const YES = "Yes";
const YES_WITH_NOTE = "Yes, and pass on a note";
const NO_WITH_REASON = "No, and say why";
const SHOW_CHANGE = "Show the whole change first";
const LATER = "Later";

interface GateDialog {
  readonly question: string;
  /** Whether the person asked for it; otherwise it waits for an empty editor. */
  readonly isWanted: boolean;
  /** Shows the patch; undefined if nothing was changed. */
  readonly showChange: (() => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** [Q8] Yes or no in a dialog; undefined if the person postpones it or there is no dialog. */
export async function askGate(
  ctx: ExtensionContext,
  { question, isWanted, showChange, signal }: GateDialog,
): Promise<Exclude<Resumption, { kind: "recast" }> | undefined> {
  if (!ctx.hasUI) return undefined;
  const [first = ""] = sanitizeForTerminal(question).trim().split("\n");
  const options = [YES, YES_WITH_NOTE, NO_WITH_REASON, ...(showChange ? [SHOW_CHANGE] : []), LATER];
  let dialogs: Pick<ExtensionUIContext, "select"> = isWanted ? userOpenedDialogs(ctx) : deferDialogs(ctx.ui, ctx.mode);
  for (;;) {
    const chosen = await dialogs.select(withEscape(ctx, oneLine(first, 200), "later"), options, { signal });
    if (chosen === YES) return { kind: "finish" };
    if (chosen === SHOW_CHANGE) await showChange?.();
    else if (chosen === YES_WITH_NOTE || chosen === NO_WITH_REASON) {
      const what = chosen === NO_WITH_REASON ? "Why not?" : "Which message goes with it?";
      const text = (await userOpenedDialogs(ctx).input(what, "", { signal }))?.trim() ?? "";
      // Closing a dialog decides nothing.
      if (text === "") return undefined;
      return { kind: chosen === NO_WITH_REASON ? "reject" : "answer", text };
    } else return undefined;
    dialogs = userOpenedDialogs(ctx);
  }
}

const HINT = "Once more, with a hint";
const ACCEPT = "Accept it as it is";
const NEXT = "Give up the item, continue with the next";
const STOP = "Stop here";

/** [X45] The decision about a result that was sent back too often; undefined if the cast is left as it is. */
export async function askReworkDecision(
  ctx: ExtensionContext,
  { limit, item, reason }: ReworkLimit,
): Promise<ReworkDecision | undefined> {
  const why = oneLine(sanitizeForTerminal(reason), 160);
  const stop = limit === "maxUnchanged" ? "It was sent back and changed no file" : "It was sent back too often";
  const title = withEscape(ctx, `${stop}${why === "" ? "" : `: ${why}`}`, "stop here");
  for (;;) {
    const chosen = await deferDialogs(ctx.ui, ctx.mode).select(title, [HINT, ACCEPT, ...(item ? [NEXT] : []), STOP]);
    if (chosen === ACCEPT) return { kind: "accept" };
    if (chosen === NEXT) return { kind: "next" };
    if (chosen !== HINT) return undefined;
    const text = (await userOpenedDialogs(ctx).input("What should be different?", ""))?.trim() ?? "";
    if (text !== "") return { kind: "hint", text };
  }
}
