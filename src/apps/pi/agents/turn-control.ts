import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { addUsage, NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import { failedTurn } from "../../../shell/agents/pi-turn.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";

/** What the person wants after they have interrupted a turn. */
export type InterruptDecision =
  | { readonly kind: "go_on" }
  | { readonly kind: "say"; readonly text: string }
  /** The cast is stopped, in whichever way: the turn is at its end. */
  | { readonly kind: "stop" };

export type SteeringMessage = { readonly text: string; readonly images?: Parameters<AgentSession["steer"]>[1] };

/** The person's hand on the turns that run now: one, or one for each item that is worked on. */
export interface TurnControl {
  /** [X35] Stops them and asks how they go on; says whether there was one to stop. */
  readonly interrupt: () => boolean;
  /** [X36] Hands words to the agents that work now; says whether one listens. */
  readonly steer: (message: SteeringMessage) => boolean;
  /** Words that no agent has read yet. */
  readonly unread: () => readonly string[];
  /** The same, taken back. */
  readonly withdrawUnread: () => readonly string[];
  /** The session of the agent that began last, where it has one of its own. */
  readonly session: () => AgentSession | undefined;
  readonly registerSession: (session: AgentSession, request: TurnRequest) => void;
  readonly run: (request: TurnRequest, run: RunTurn) => Promise<TurnOutcome>;
}

type RunTurn = (request: TurnRequest) => Promise<TurnOutcome>;

export interface TurnCallbacks {
  /** Asked when a turn was interrupted, by us or by Pi's own means. */
  readonly ask: (request: TurnRequest) => Promise<InterruptDecision>;
  /** Told what an agent that is gone has not read. */
  readonly onUnread: (texts: readonly string[]) => void;
  readonly onOpened?: (session: AgentSession, request: TurnRequest) => void;
}

interface RunningTurn {
  readonly request: TurnRequest;
  readonly stop: AbortController;
  session?: AgentSession;
}

const GO_ON_PROMPT =
  "The person you work for has interrupted you and looked at what you do. Go on where you were, and finish it.";

export function createTurnControl({ ask, onUnread, onOpened }: TurnCallbacks): TurnControl {
  const turns = new Set<RunningTurn>();
  const sessions = (): readonly AgentSession[] => [...turns].flatMap(({ session }) => session ?? []);
  // Agents that were interrupted together are asked about once.
  let asking: Promise<InterruptDecision> | undefined;
  const askOnce = (request: TurnRequest): Promise<InterruptDecision> =>
    (asking ??= ask(request).finally(() => {
      asking = undefined;
    }));
  const runOnce = async (request: TurnRequest, run: RunTurn): Promise<TurnOutcome> => {
    const stop = new AbortController();
    const turn: RunningTurn = { stop, request: { ...request, signal: AbortSignal.any([request.signal, stop.signal]) } };
    turns.add(turn);
    try {
      return await run(turn.request);
    } finally {
      turns.delete(turn);
      const unread = turn.session ? clearQueue(turn.session) : [];
      if (unread.length > 0 && turns.size === 0) onUnread(unread);
    }
  };
  return {
    unread: () =>
      distinctTexts(sessions().flatMap((each) => [...each.getSteeringMessages(), ...each.getFollowUpMessages()])),
    withdrawUnread: () => distinctTexts(sessions().flatMap(clearQueue)),
    session: () => sessions().at(-1),
    registerSession: (session, request) => {
      const turn = [...turns].find((each) => each.request === request);
      if (turn) turn.session = session;
      onOpened?.(session, request);
    },
    interrupt: () => {
      for (const { stop } of turns) stop.abort();
      return turns.size > 0;
    },
    steer: ({ text, images }) => {
      const listening = sessions().filter(({ isStreaming }) => isStreaming);
      for (const session of listening) session.steer(text, images).catch(() => onUnread([text]));
      return listening.length > 0;
    },
    run: async (request, run) => {
      let used = NO_USAGE;
      let next = request;
      for (;;) {
        const outcome = await runOnce(withEarlierUsage(next, used), run);
        used = addUsage(used, outcome.usage);
        const isStopped = outcome.kind === "failed" && outcome.reason === "aborted" && !request.signal.aborted;
        if (!isStopped) return { ...outcome, usage: used };
        const after = await askOnce(request);
        if (after.kind === "stop") return failedTurn("aborted", "the person stopped the cast", used);
        next = { ...request, history: "continued", prompt: after.kind === "say" ? after.text : GO_ON_PROMPT };
      }
    },
  };
}

function clearQueue(session: AgentSession): readonly string[] {
  const { steering, followUp } = session.clearQueue();
  return [...steering, ...followUp];
}

/** What was said to several agents was said once. */
function distinctTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** What was used before the interruption belongs to the same turn. */
function withEarlierUsage(request: TurnRequest, before: Usage): TurnRequest {
  return {
    ...request,
    isBudgetSpent: (usage) => request.isBudgetSpent(addUsage(before, usage)),
    onProgress: (progress) =>
      request.onProgress(
        progress.kind === "used" ? { ...progress, usage: addUsage(before, progress.usage) } : progress,
      ),
  };
}
