import { addUsage, type Usage } from "../../../core/cast/state/usage.ts";
import {
  replaySteps,
  type CastStep,
  advanceTimeline,
  startTimeline,
  type CastTimeline,
} from "../../../core/cast/timeline.ts";
import { boardLines, castBoard, positionText, type CastBoard } from "../../../core/view/progress/board.ts";
import { materiaOf, socketOf } from "../../../core/compile/graph.ts";
import { statusSymbol } from "../../../core/view/cast-list.ts";
import { amountText, costText, workTimeText } from "../../../core/view/numbers.ts";
import { oneLine } from "../../../core/model/text.ts";
import { line, toned, type Line } from "../../../core/view/line.ts";
import { castStartOf } from "../../../shell/store/cast-file.ts";
import type { RunObserver } from "../../../shell/context/run-context.ts";
import {
  createItemRows,
  NO_UNCOUNTED_USAGE,
  usageAfterEvent,
  usageAfterProgress,
  estimateUsage,
} from "../../../shell/casting/live-items.ts";
import { activityLines, IDLE_ACTIVITY, applyProgress, type AgentActivity } from "./agent-activity.ts";
import type { Card } from "./card.ts";
import { createItemLogs, type ObservedResult } from "./result-card.ts";
import { createVisitCards } from "./visit-cards.ts";
import { runUnlessReplaced, type UserSession } from "../session/user-session.ts";
import { COMMAND_PREFIX } from "../session/project.ts";
import type { WidgetContent } from "./widget.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";
import { initialState } from "../../../core/cast/state/initial-state.ts";

export type CastObserver = Required<
  Omit<RunObserver, "signal" | "released" | "onQueued" | "onSettingUp" | "askPerson">
>;

export interface CastWatch extends CastObserver {
  readonly timeline: () => CastTimeline;
  /** For the card of its end: the items so far, the last report, the models and the time. */
  readonly result: () => ObservedResult;
  readonly used: () => Usage;
  readonly widgetContent: WidgetContent;
}

export interface WatchHooks {
  readonly user: UserSession;
  /** Called for every step, also of items, and for the steps before watching started. */
  readonly onStep?: ((step: CastStep) => void) | undefined;
  readonly onVisit: (card: Card) => void;
  readonly onChange: () => void;
  /** Whether the agent's activity is shown elsewhere on the screen. */
  readonly isStreamedElsewhere?: () => boolean;
  /** The agent that works now: its model and thinking level, if known. */
  readonly agentLabel?: () => string | undefined;
  readonly unread?: () => readonly UnreadMessage[];
  /** Where typed text goes and how to stop it, in one or two lines. */
  readonly hint: () => string;
}

/** Waiting messages of the person: for the agent that works, or for the end of the cast. */
export interface UnreadMessage {
  readonly label: "not read yet" | "for later";
  readonly text: string;
  /** How to take it back: a key, or a request of a client. */
  readonly withdrawWith: string;
}

export function createCastWatch(
  { file, events: before }: Pick<LoadedCast, "file" | "events">,
  watcher: WatchHooks,
): CastWatch {
  const start = initialState(castStartOf(file));
  const cards = createVisitCards(start);
  const itemLogs = createItemLogs();
  let timeline = startTimeline(start);
  for (const step of replaySteps(start, before)) {
    timeline = advanceTimeline(timeline, step);
    itemLogs.follow(step);
    cards.follow(step, IDLE_ACTIVITY);
    watcher.onStep?.(step);
  }
  cards.discardPending();
  let activity = IDLE_ACTIVITY;
  // Also right after such a turn ended.
  let isStreamed = false;
  let turn = NO_UNCOUNTED_USAGE;
  const items = createItemRows();
  const thenDraw = <A extends readonly unknown[]>(act: (...news: A) => void) => both(act, watcher.onChange);
  const board = (): CastBoard => runningBoard(timeline, addUsage(estimateUsage(turn), items.usage()));
  return {
    timeline: () => timeline,
    result: () => ({ ...itemLogs.result(), command: file.command, workedMs: board().elapsedMs }),
    used: () => turn.used,
    onSteps: thenDraw((steps) => {
      for (const step of steps) {
        timeline = advanceTimeline(timeline, step);
        itemLogs.follow(step);
        items.onParentStep(step);
        watcher.onStep?.(step);
        turn = usageAfterEvent(turn, step.event);
        for (const card of cards.follow(step, activity)) watcher.onVisit(card);
        if (step.event.type === "visit_started") [activity, isStreamed] = [IDLE_ACTIVITY, false];
      }
    }),
    onProgress: thenDraw((progress) => {
      isStreamed = watcher.isStreamedElsewhere?.() ?? false;
      activity = applyProgress(activity, progress);
      turn = usageAfterProgress(turn, progress);
    }),
    onItemSteps: thenDraw((steps) => {
      items.onItemSteps(steps);
      for (const step of steps) {
        itemLogs.followItem(step);
        watcher.onStep?.(step);
      }
    }),
    onItemProgress: thenDraw(items.onItemProgress),
    onItemQueued: thenDraw(items.onItemQueued),
    widgetContent: {
      lines: (width) => {
        const shown = { timeline, itemLines: items.lines(Date.now(), width), watcher, width };
        return widgetLines(board(), { ...shown, activity: isStreamed ? undefined : activity });
      },
      status: () => statusLineText(board()),
    },
  };
}

/** Calls one listener and then the other. */
export function both<A extends readonly unknown[]>(act: (...news: A) => void, next: (...news: A) => void) {
  return (...news: A): void => {
    act(...news);
    next(...news);
  };
}

/** Its last event may be a stop, but a watched cast is running. */
function runningBoard(timeline: CastTimeline, used: Usage): CastBoard {
  const board = castBoard(timeline, { now: Date.now(), program: COMMAND_PREFIX, used });
  const running = { reason: null, question: null, last: null, next: [] };
  return { ...board, ...running, status: board.asleep ? "sleeping" : "running" };
}

interface ShownCast {
  readonly timeline: CastTimeline;
  readonly itemLines: readonly Line[];
  readonly activity: AgentActivity | undefined;
  readonly watcher: WatchHooks;
  readonly width: number;
}

function widgetLines(now: CastBoard, { timeline, itemLines, activity, watcher, width }: ShownCast): readonly Line[] {
  const { phase, graph } = timeline.state;
  const isWorking = phase.kind === "visiting" && materiaOf(graph, socketOf(graph, phase.visit.socket)).type === "agent";
  const isExpanded = runUnlessReplaced(() => watcher.user.ctx.ui.getToolsExpanded()) ?? false;
  const isShown = activity && isWorking && !watcher.isStreamedElsewhere?.();
  const hints = watcher.hint().split("\n");
  return [
    ...boardLines(now, width),
    ...itemLines,
    ...(isShown ? activityLines(activity, width, isExpanded) : []),
    ...(watcher.unread?.() ?? []).map(unreadLine),
    budgetLine(now, timeline, isWorking ? watcher.agentLabel?.() : undefined),
    ...hints.map((each) => line(toned("dim", each))),
  ];
}

/** [X36] */
function unreadLine({ label, text, withdrawWith: by }: UnreadMessage): Line {
  return line("  ", toned("wait", `⧗ ${label}: `), oneLine(text, 60), toned("dim", `  ${by} takes it back`));
}

/** [X40] The agent, and the used share of the budget. */
function budgetLine({ tokens, cost }: CastBoard, { state: { budget } }: CastTimeline, agent: string | undefined): Line {
  const { maxTokens, maxCostUsd } = budget;
  const parts = [
    agent,
    maxTokens !== undefined && `${amountText(tokens)} of ${amountText(maxTokens)} tokens`,
    maxCostUsd !== undefined && `${costText(cost)} of ${costText(maxCostUsd)}`,
  ];
  return line(toned("dim", parts.filter(Boolean).join(" · ")));
}

function statusLineText(board: CastBoard): string {
  const { status, position, item, asleep, tokens } = board;
  return [
    `${statusSymbol(status).text} materia`,
    ...(position ? [position.atWork ? positionText(position) : position.materia] : []),
    ...(item ? [`item ${item.number} of ${item.of}`] : []),
    ...(asleep ? [asleep.text] : []),
    workTimeText(board),
    `${amountText(tokens)} tokens`,
  ].join(" · ");
}
