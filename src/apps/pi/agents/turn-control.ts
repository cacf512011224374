import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { addUsage, NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import { failedTurn } from "../../../shell/agents/pi-turn.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";

export type InterruptDecision =
  | { readonly kind: "go_on" }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "stop" };

type SteeringMessage = { readonly text: string; readonly images?: Parameters<AgentSession["steer"]>[1] };

export type TurnControl = ReturnType<typeof createTurnControl>;

type RunTurn = (request: TurnRequest) => Promise<TurnOutcome>;

export interface TurnCallbacks {
  readonly ask: (request: TurnRequest, count: number) => Promise<InterruptDecision>;
  readonly onUnread: (texts: readonly string[]) => void;
  readonly onOpened?: (session: AgentSession, request: TurnRequest) => void;
}

interface RunningTurn {
  readonly request: TurnRequest;
  readonly stop: AbortController;
  session?: AgentSession;
}

/** [X57] `Build`, or `all 3 agents` of parallel items. */
export function agentsText(materia: string, count: number): string {
  return count > 1 ? `all ${count} agents` : materia;
}

const GO_ON_PROMPT =
  "The person you work for has interrupted you and looked at what you do. Go on where you were, and finish it.";

/** Controls the running turns: one, or one for each parallel item. */
export function createTurnControl({ ask, onUnread, onOpened }: TurnCallbacks) {
  const turns = new Set<RunningTurn>();
  const sessions = (): readonly AgentSession[] => [...turns].flatMap(({ session }) => session ?? []);
  const unread = new Set<string>();
  const askOnce = createQuestion({ ask, onUnread }, unread);
  let interrupted = 1;
  let latest: AgentSession | undefined;
  const listening = () => sessions().filter(({ isStreaming }) => isStreaming);
  const runOnce = async (request: TurnRequest, run: RunTurn): Promise<TurnOutcome> => {
    const stop = new AbortController();
    const turn: RunningTurn = { stop, request: { ...request, signal: AbortSignal.any([request.signal, stop.signal]) } };
    turns.add(turn);
    latest = undefined;
    try {
      return await run(turn.request);
    } finally {
      turns.delete(turn);
      latest = turn.session;
      for (const text of turn.session ? clearQueue(turn.session) : []) unread.add(text);
      if (unread.size > 0 && turns.size === 0 && !stop.signal.aborted) onUnread(takeAll(unread));
    }
  };
  return {
    unread: (): readonly string[] => {
      const queued = sessions().flatMap((each) => [...each.getSteeringMessages(), ...each.getFollowUpMessages()]);
      return distinctTexts([...unread, ...queued]);
    },
    withdrawUnread: () => distinctTexts([...takeAll(unread), ...sessions().flatMap(clearQueue)]),
    /** The session of the agent that started last, also while it is interrupted, if it has a separate one. */
    session: () => sessions().at(-1) ?? latest,
    registerSession: (session: AgentSession, request: TurnRequest): void => {
      // The host may have copied the request; the signal is of this turn alone.
      const turn = [...turns].find((each) => each.request.signal === request.signal);
      if (turn) turn.session = session;
      onOpened?.(session, request);
    },
    /** [X35] Interrupts the turns and asks how to continue; returns whether there was one. */
    interrupt: (): boolean => {
      interrupted = Math.max(1, turns.size);
      for (const { stop } of turns) stop.abort();
      return turns.size > 0;
    },
    /** [X36] Sends a message to the running agents. */
    steer: ({ text, images }: SteeringMessage): void => {
      for (const session of listening()) session.steer(text, images).catch(() => onUnread([text]));
    },
    listening: () => listening().length,
    run: async (request: TurnRequest, run: RunTurn): Promise<TurnOutcome> => {
      let used = NO_USAGE;
      let next = request;
      for (;;) {
        const outcome = await runOnce(withEarlierUsage(next, used), run);
        used = addUsage(used, outcome.usage);
        const isStopped = outcome.kind === "failed" && outcome.reason === "aborted" && !request.signal.aborted;
        if (!isStopped) return { ...outcome, usage: used };
        const after = await askOnce(request, interrupted);
        if (after.kind === "stop") return failedTurn("aborted", "the person stopped the cast", used);
        next = { ...request, history: "continued", prompt: after.kind === "say" ? after.text : GO_ON_PROMPT };
      }
    },
  };
}

/** Asks once about agents that were interrupted together. What they had not read goes on with them. */
function createQuestion({ ask, onUnread }: Pick<TurnCallbacks, "ask" | "onUnread">, unread: Set<string>) {
  let asking: Promise<InterruptDecision> | undefined;
  const decide = async (request: TurnRequest, count: number): Promise<InterruptDecision> => {
    const decision = await ask(request, count);
    const texts = takeAll(unread);
    if (texts.length === 0) return decision;
    if (decision.kind !== "stop")
      return { kind: "say", text: [decision.kind === "say" ? decision.text : GO_ON_PROMPT, ...texts].join("\n\n") };
    onUnread(texts);
    return decision;
  };
  return (request: TurnRequest, count: number): Promise<InterruptDecision> =>
    (asking ??= decide(request, count).finally(() => (asking = undefined)));
}

function takeAll(texts: Set<string>): readonly string[] {
  const taken = [...texts];
  texts.clear();
  return taken;
}

function clearQueue(session: AgentSession): readonly string[] {
  const { steering, followUp } = session.clearQueue();
  return [...steering, ...followUp];
}

/** A message to several agents counts once. */
function distinctTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** Usage before the interruption belongs to the same turn. */
function withEarlierUsage(request: TurnRequest, before: Usage): TurnRequest {
  return {
    ...request,
    isBudgetSpent: (usage) => request.isBudgetSpent(addUsage(before, usage)),
    onProgress: (news) =>
      request.onProgress(news.kind === "used" ? { ...news, usage: addUsage(before, news.usage) } : news),
  };
}
