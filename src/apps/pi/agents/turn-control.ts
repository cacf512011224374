import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { addUsage, NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import { failed } from "../../../shell/agents/turn.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";

/** What the person wants after they have interrupted a turn. */
export type AfterInterrupt =
  | { readonly kind: "go_on" }
  | { readonly kind: "say"; readonly text: string }
  /** The cast is stopped, in whichever way: the turn is at its end. */
  | { readonly kind: "stop" };

export type AgentMessage = { readonly text: string; readonly images?: Parameters<AgentSession["steer"]>[1] };

/** The person's hand on the turns that run now: one, or one for each item that is worked on. */
export interface TurnControl {
  /** [X35] Stops them and asks how they go on; says whether there was one to stop. */
  readonly interrupt: () => boolean;
  /** [X36] Hands words to the agents that work now; says whether one listens. */
  readonly steer: (message: AgentMessage) => boolean;
  /** Words that no agent has read yet. */
  readonly unread: () => readonly string[];
  /** The same, taken back. */
  readonly takeBack: () => readonly string[];
  /** The session of the agent that began last, where it has one of its own. */
  readonly session: () => AgentSession | undefined;
  readonly opened: (session: AgentSession, request: TurnRequest) => void;
  readonly run: (request: TurnRequest, run: RunTurn) => Promise<TurnOutcome>;
}

type RunTurn = (request: TurnRequest) => Promise<TurnOutcome>;

export interface TurnQuestions {
  /** Asked when a turn was interrupted, by us or by Pi's own means. */
  readonly ask: (request: TurnRequest) => Promise<AfterInterrupt>;
  /** Told what an agent that is gone has not read. */
  readonly onUnread: (texts: readonly string[]) => void;
  readonly onOpened?: (session: AgentSession, request: TurnRequest) => void;
}

interface OpenTurn {
  readonly request: TurnRequest;
  readonly stop: AbortController;
  session?: AgentSession;
}

const GO_ON =
  "The person you work for has interrupted you and looked at what you do. Go on where you were, and finish it.";

export function openTurnControl({ ask, onUnread, onOpened }: TurnQuestions): TurnControl {
  const turns = new Set<OpenTurn>();
  const sessions = (): readonly AgentSession[] => [...turns].flatMap(({ session }) => session ?? []);
  // Agents that were interrupted together are asked about once.
  let asking: Promise<AfterInterrupt> | undefined;
  const askOnce = (request: TurnRequest): Promise<AfterInterrupt> =>
    (asking ??= ask(request).finally(() => {
      asking = undefined;
    }));
  const runOnce = async (request: TurnRequest, run: RunTurn): Promise<TurnOutcome> => {
    const stop = new AbortController();
    const turn: OpenTurn = { stop, request: { ...request, signal: AbortSignal.any([request.signal, stop.signal]) } };
    turns.add(turn);
    try {
      return await run(turn.request);
    } finally {
      turns.delete(turn);
      const unread = turn.session ? clearedQueue(turn.session) : [];
      if (unread.length > 0 && turns.size === 0) onUnread(unread);
    }
  };
  return {
    unread: () =>
      distinct(sessions().flatMap((each) => [...each.getSteeringMessages(), ...each.getFollowUpMessages()])),
    takeBack: () => distinct(sessions().flatMap(clearedQueue)),
    session: () => sessions().at(-1),
    opened: (session, request) => {
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
        const outcome = await runOnce(counted(next, used), run);
        used = addUsage(used, outcome.usage);
        const isStopped = outcome.kind === "failed" && outcome.reason === "aborted" && !request.signal.aborted;
        if (!isStopped) return { ...outcome, usage: used };
        const after = await askOnce(request);
        if (after.kind === "stop") return failed("aborted", "the person stopped the cast", used);
        next = { ...request, history: "continued", prompt: after.kind === "say" ? after.text : GO_ON };
      }
    },
  };
}

function clearedQueue(session: AgentSession): readonly string[] {
  const { steering, followUp } = session.clearQueue();
  return [...steering, ...followUp];
}

/** What was said to several agents was said once. */
function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
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
