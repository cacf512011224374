import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { addUsage, NO_USAGE } from "../../../core/cast/state/usage.ts";
import type { Usage } from "../../../core/cast/state/usage.ts";
import { failed } from "../../../shell/agents/turn.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";

/** What the person wants after they have interrupted a turn. */
export type AfterInterrupt =
  | { readonly kind: "go_on" }
  | { readonly kind: "say"; readonly text: string }
  /** The cast is stopped, in whichever way: the turn is at its end. */
  | { readonly kind: "stop" };

export type AgentMessage = { readonly text: string; readonly images?: Parameters<AgentSession["steer"]>[1] };

/** The person's hand on the turn that runs now. */
export interface TurnControl {
  /** [X35] Stops the turn and asks how it goes on; says whether there was one to stop. */
  readonly interrupt: () => boolean;
  /** [X36] Hands words to the agent that works now; says whether one listens. */
  readonly steer: (message: AgentMessage) => boolean;
  /** Words that the agent has not read yet, taken back from it. */
  readonly takeBack: () => readonly string[];
  /** The session of the agent that works now, where it has one of its own. */
  readonly session: () => AgentSession | undefined;
  readonly opened: (session: AgentSession) => void;
  readonly run: (request: TurnRequest, run: RunTurn) => Promise<TurnOutcome>;
}

type RunTurn = (request: TurnRequest) => Promise<TurnOutcome>;

export interface TurnQuestions {
  /** Asked when a turn was interrupted, by us or by Pi's own means. */
  readonly ask: (request: TurnRequest) => Promise<AfterInterrupt>;
  /** Told what an agent that is gone has not read. */
  readonly onUnread: (texts: readonly string[]) => void;
}

const GO_ON =
  "The person you work for has interrupted you and looked at what you do. Go on where you were, and finish it.";

export function openTurnControl({ ask, onUnread }: TurnQuestions): TurnControl {
  let turn: AbortController | undefined;
  let session: AgentSession | undefined;
  const takeBack = (): readonly string[] => {
    const { steering, followUp } = session?.clearQueue() ?? { steering: [], followUp: [] };
    return [...steering, ...followUp];
  };
  const runOnce = async (request: TurnRequest, run: RunTurn): Promise<TurnOutcome> => {
    turn = new AbortController();
    try {
      return await run({ ...request, signal: AbortSignal.any([request.signal, turn.signal]) });
    } finally {
      const unread = takeBack();
      [turn, session] = [undefined, undefined];
      if (unread.length > 0) onUnread(unread);
    }
  };
  return {
    takeBack,
    session: () => session,
    opened: (opened) => {
      session = opened;
    },
    interrupt: () => {
      turn?.abort();
      return turn !== undefined;
    },
    steer: ({ text, images }) => {
      if (!session?.isStreaming) return false;
      const unread = (): void => onUnread([text]);
      session.steer(text, images).catch(unread);
      return true;
    },
    run: async (request, run) => {
      let used = NO_USAGE;
      let next = request;
      for (;;) {
        const outcome = await runOnce(counted(next, used), run);
        used = addUsage(used, outcome.usage);
        const isStopped = outcome.kind === "failed" && outcome.reason === "aborted" && !request.signal.aborted;
        if (!isStopped) return { ...outcome, usage: used };
        const after = await ask(request);
        if (after.kind === "stop") return failed("aborted", "the person stopped the cast", used);
        next = { ...request, history: "continued", prompt: after.kind === "say" ? after.text : GO_ON };
      }
    },
  };
}

/** What was used before the interruption belongs to the same turn. */
function counted(request: TurnRequest, before: Usage): TurnRequest {
  return {
    ...request,
    isUsedUp: (usage) => request.isUsedUp(addUsage(before, usage)),
    onProgress: (progress) =>
      request.onProgress(
        progress.kind === "used" ? { ...progress, usage: addUsage(before, progress.usage) } : progress,
      ),
  };
}
