import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { sanitizeForTerminal, oneLine } from "../../../core/model/text.ts";
import { userOpenedDialogs, deferDialogs } from "../session/dialogs.ts";
import type { ReworkLimit } from "../../../core/cast/rework-limit.ts";
import type { ReworkDecision } from "../../../core/command/command.ts";
import type { DetachCheck } from "./detach.ts";
import type { PersonAnswer } from "./session-state.ts";

export type StopChoice = "detach" | "pause" | "abort";

const PAUSE = ["Pause: continue later with /materia recast", "pause"] as const;
const ABORT = ["Abort", "abort"] as const;

export async function askChoice<const T>(
  dialogs: Pick<ExtensionUIContext, "select">,
  title: string,
  offered: readonly (readonly [label: string, value: T] | false)[],
  signal?: AbortSignal,
): Promise<T | undefined> {
  const choices = offered.filter((choice) => choice !== false);
  const labels = choices.map(([label]) => label);
  const chosen = await dialogs.select(title, labels, signal && { signal });
  return choices.find(([label]) => label === chosen)?.[1];
}

/** Empty if the person goes back to the question before it. */
export async function askText(ctx: ExtensionContext, title: string, signal?: AbortSignal): Promise<string> {
  const asked = withEscape(ctx, title, "back");
  return (await userOpenedDialogs(ctx).input(asked, "", signal && { signal }))?.trim() ?? "";
}

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
  { readonly kind: "go_on" } | { readonly kind: "pause" | "abort" } | { readonly kind: "say"; readonly text: string }
> {
  const asked =
    who === undefined ? "The cast continues while you decide. Stop it?" : `Interrupted: ${who}. How to continue?`;
  const title = withEscape(ctx, asked, "the work goes on");
  for (;;) {
    const say = who !== undefined && ([`Say something to ${who}`, "say"] as const);
    const kind = await askChoice(userOpenedDialogs(ctx), title, [["Continue", "go_on"], say, PAUSE, ABORT], signal);
    if (kind !== "say") return { kind: kind ?? "go_on" };
    const text = await askText(ctx, `What should ${who} know?`, signal);
    if (text !== "") return { kind, text };
  }
}

type SleepDecision = { readonly kind: "wake" | "abort" } | { readonly kind: "model"; readonly name: string };

/** [Z11] Undefined if it sleeps on. */
export async function askSleepDecision(
  ctx: ExtensionContext,
  why: string,
  signal: AbortSignal,
): Promise<SleepDecision | undefined> {
  const title = withEscape(ctx, sanitizeForTerminal(why), "it sleeps on");
  const kind = await askChoice(
    userOpenedDialogs(ctx),
    title,
    [["Let it sleep", undefined], ["Wake it now", "wake"], ["Use another model", "model"], ABORT],
    signal,
  );
  if (kind !== "model") return kind && { kind };
  for (let problem = ""; ;) {
    const name = await askText(ctx, `${problem}Which model? (provider/id)`, signal);
    if (name === "") return askSleepDecision(ctx, why, signal);
    // Pi refuses an unknown one only when the cast no longer sleeps.
    const unknown = name.split(",").find((each) => !isKnownModel(ctx, each.trim()));
    if (unknown === undefined) return { kind, name };
    problem = `Pi knows no model "${sanitizeForTerminal(unknown.trim())}". `;
  }
}

function isKnownModel({ modelRegistry }: ExtensionContext, name: string): boolean {
  return modelRegistry.getAll().some(({ provider, id }) => `${provider}/${id}` === name);
}

/** [X6] Undefined if the person stays. */
export function askLeave(
  ctx: ExtensionContext,
  { refusals, notes }: Pick<DetachCheck, "refusals" | "notes">,
  signal: AbortSignal,
): Promise<StopChoice | undefined> {
  const consequences = [
    ...refusals.map((why) => `It cannot be detached: ${why}`),
    ...(refusals.length > 0 ? [] : notes).map((note) => `Detached: ${note}`),
  ];
  const about = ["A cast is running. What should happen to it?", ...consequences].map(sanitizeForTerminal).join("\n");
  const title = withEscape(ctx, about, "stay · Ctrl+C: pause it and leave");
  const detach = refusals.length === 0 && (["Detach: continue in the background", "detach"] as const);
  return askChoice(userOpenedDialogs(ctx), title, [detach, PAUSE, ABORT, ["Stay", undefined]], signal);
}

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
): Promise<PersonAnswer | undefined> {
  if (!ctx.hasUI) return undefined;
  const [first = ""] = sanitizeForTerminal(question).trim().split("\n");
  const title = withEscape(ctx, oneLine(first, 200), "later");
  let dialogs: Pick<ExtensionUIContext, "select"> = isWanted ? userOpenedDialogs(ctx) : deferDialogs(ctx.ui, ctx.mode);
  for (;;) {
    const show = showChange !== undefined && (["Show the whole change first", "show"] as const);
    const yes = [["Yes", "finish"] as const, ["Yes, and pass on a note", "answer"] as const];
    const rest = [["No, and say why", "reject"] as const, show, ["Later", undefined] as const];
    const kind = await askChoice(dialogs, title, [...yes, ...rest], signal);
    if (kind === undefined) return undefined;
    if (kind === "finish") return { kind };
    if (kind !== "show") {
      const text = await askText(ctx, kind === "reject" ? "Why not?" : "Which message goes with it?", signal);
      // Closing a dialog decides nothing.
      if (text !== "" || signal.aborted) return text === "" ? undefined : { kind, text };
    } else await showChange?.();
    dialogs = userOpenedDialogs(ctx);
  }
}

/** [X45] The decision about a result that was sent back too often; undefined if the cast is left as it is. */
export async function askReworkDecision(
  ctx: ExtensionContext,
  { limit, item, reason }: ReworkLimit,
): Promise<ReworkDecision | undefined> {
  const why = oneLine(sanitizeForTerminal(reason), 160);
  const stop = limit === "maxUnchanged" ? "It was sent back and changed no file" : "It was sent back too often";
  const title = withEscape(ctx, `${stop}${why === "" ? "" : `: ${why}`}`, "stop here");
  for (;;) {
    const kind = await askChoice(deferDialogs(ctx.ui, ctx.mode), title, [
      ["Once more, with a hint", "hint"],
      ["Accept it as it is", "accept"],
      Boolean(item) && ["Give up the item, continue with the next", "next"],
      ["Stop here", undefined],
    ]);
    if (kind !== "hint") return kind && { kind };
    const text = await askText(ctx, "What should be different?");
    if (text !== "") return { kind, text };
  }
}
