import { NO_USAGE, addUsage } from "../../../core/cast/state/usage.ts";
import type { Usage } from "../../../core/cast/state/usage.ts";
import { startState } from "../../../core/cast/state/state.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { stepsFrom } from "../../../core/cast/step.ts";
import type { CastStep } from "../../../core/cast/step.ts";
import { boardLines, boardOf, visitWords } from "../../../core/view/now/board.ts";
import type { Board } from "../../../core/view/now/board.ts";
import { NO_LANES, followLane, followParent, laneLines, laneUses, lanesUsage } from "../../../core/view/now/lanes.ts";
import { statusMark } from "../../../core/view/casts.ts";
import { amountText, clockText, costText } from "../../../core/view/numbers.ts";
import { follow, startTrail } from "../../../core/view/now/trail.ts";
import type { Trail } from "../../../core/view/now/trail.ts";
import { usedAfter } from "../../../core/view/now/used.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import { startOf } from "../../../shell/store/cast-file.ts";
import type { Listening } from "../../../shell/casting/drive/driver.ts";
import type { PreparedCast } from "../../../shell/casting/drive/prepared-cast.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import { activityLines, IDLE, withProgress } from "./activity.ts";
import type { Activity } from "./activity.ts";
import type { Card } from "../cards/card.ts";
import { openItemTales } from "../cards/item-tales.ts";
import type { ItemTale } from "../cards/item-tales.ts";
import { openVisitCards } from "../cards/visit-cards.ts";
import { PROGRAM } from "../session/place.ts";
import type { Picture } from "./widget.ts";

/** A cast as it goes on, for whoever shows it. */
export interface Watch extends Required<Omit<Listening, "signal" | "onQueued">> {
  readonly trail: () => Trail;
  /** What became of the items so far. */
  readonly items: () => readonly ItemTale[];
  /** What the turn in hand has used, which the journal does not know yet. */
  readonly used: () => Usage;
  readonly picture: Picture;
}

export interface Watcher {
  /** Told every step, of its items too, those included that happened before it was watched. */
  readonly onStep?: (step: CastStep) => void;
  readonly onVisit: (card: Card) => void;
  readonly onChange: () => void;
  readonly opened: () => boolean;
  /** Whether what the agent does is seen elsewhere on the screen. */
  readonly streams: () => boolean;
  /** Who works now: its model and thinking level, as far as they are known. */
  readonly agent: () => string | undefined;
  /** What the person has said and nobody has read yet. */
  readonly unheard: () => readonly Unheard[];
  /** How it is stopped. */
  readonly hint: () => string;
}

/** Words of the person that wait: for the agent that works, or for the end of the cast. */
export interface Unheard {
  readonly for: "agent" | "later";
  readonly text: string;
  /** What brings it back: a key, or a request of a client. */
  readonly by: string;
}

export function openWatch({ file, events: before }: Pick<PreparedCast, "file" | "events">, watcher: Watcher): Watch {
  const start = startState(startOf(file));
  const cards = openVisitCards(start);
  const tales = openItemTales();
  let trail = startTrail(start);
  for (const step of stepsFrom(start, before)) {
    trail = follow(trail, step);
    tales.follow(step);
    cards.follow(step);
    watcher.onStep?.(step);
  }
  cards.leaveOut();
  // Nothing for a turn that streams on the screen itself, also when it has just ended.
  let activity: Activity | undefined = IDLE;
  let used = NO_USAGE;
  const items = watchItems(watcher);
  /** Characters of the reply that is being written; what it costs is known at its end. */
  let written = 0;
  const board = (): Board => runningBoard(trail, addUsage(withWritten(used, written), items.usage()));
  return {
    trail: () => trail,
    items: tales.all,
    used: () => used,
    onSteps: (steps) => {
      for (const step of steps) {
        trail = follow(trail, step);
        tales.follow(step);
        items.follow(step);
        watcher.onStep?.(step);
        used = usedAfter(used, step.event);
        if (used === NO_USAGE) written = 0;
        if (step.event.type === "visit_started") activity = IDLE;
        for (const card of cards.follow(step)) watcher.onVisit(card);
      }
      watcher.onChange();
    },
    onProgress: (progress) => {
      cards.note(progress);
      activity = watcher.streams() ? undefined : withProgress(activity ?? IDLE, progress);
      if (progress.kind === "text" || progress.kind === "thinking") written += progress.delta.length;
      if (progress.kind === "used") [used, written] = [progress.usage, 0];
      watcher.onChange();
    },
    onItemSteps: items.onSteps,
    onItemProgress: items.onProgress,
    picture: {
      lines: (width) => {
        const now = board();
        return [
          ...boardLines(now, width),
          ...items.lines(width),
          ...agentLines(now, { trail, activity, watcher, width }),
        ];
      },
      status: () => statusWords(board()),
    },
  };
}

/** The items of a parallel loop that are at work. */
function watchItems(watcher: Watcher) {
  let lanes = NO_LANES;
  /** Of the turns in hand, by the casts of the items: what is known of them, and characters that are being written. */
  const turns = new Map<string, { readonly used: Usage; readonly written: number }>();
  return {
    usage: () => lanesUsage(lanes),
    follow: (step: CastStep) => {
      lanes = followParent(lanes, step);
    },
    lines: (width: number) => laneLines(lanes, Date.now(), width),
    onSteps: (steps: readonly CastStep[]) => {
      for (const step of steps) {
        lanes = followLane(lanes, step);
        // What was written of a turn that is over has been counted.
        const { castId } = step.after;
        if ((lanes.get(castId)?.used ?? NO_USAGE) === NO_USAGE) turns.delete(castId);
        watcher.onStep?.(step);
      }
      watcher.onChange();
    },
    onProgress: (progress: TurnProgress, state: CastState) => {
      const { used, written } = turns.get(state.castId) ?? { used: NO_USAGE, written: 0 };
      if (progress.kind === "used") turns.set(state.castId, { used: progress.usage, written: 0 });
      if (progress.kind === "text" || progress.kind === "thinking")
        turns.set(state.castId, { used, written: written + progress.delta.length });
      const turn = turns.get(state.castId);
      if (turn) lanes = laneUses(lanes, state, withWritten(turn.used, turn.written));
      watcher.onChange();
    },
  };
}

/** Its last event may still be the one that it stopped with; but it runs, or nobody would watch. */
function runningBoard(trail: Trail, used: Usage): Board {
  return {
    ...boardOf(trail, { now: Date.now(), program: PROGRAM, used }),
    status: "running",
    reason: null,
    question: null,
    last: null,
    next: [],
  };
}

interface AgentPicture {
  readonly trail: Trail;
  readonly activity: Activity | undefined;
  readonly watcher: Watcher;
  readonly width: number;
}

/** Who works and what it does, and how it is stopped. */
function agentLines(now: Board, { trail, activity, watcher, width }: AgentPicture): readonly Line[] {
  const isWorking = isAgent(trail);
  const isShown = activity && isWorking && !watcher.streams();
  return [
    ...(isShown ? activityLines(activity, width, watcher.opened()) : []),
    ...watcher.unheard().map(unheardLine),
    moneyLine(now, trail, isWorking ? watcher.agent() : undefined),
    line(toned("dim", watcher.hint())),
  ];
}

const UNHEARD = { agent: "not read yet", later: "for later" } as const;

/** [X36] */
function unheardLine({ for: whom, text, by }: Unheard): Line {
  return line("  ", toned("wait", `⧗ ${UNHEARD[whom]}: `), oneLine(text, 60), toned("dim", `  ${by} takes it back`));
}

/** A token is about four characters of English; of a reply that is not whole nobody knows more. */
function withWritten(used: Usage, characters: number): Usage {
  return { ...used, output: used.output + Math.ceil(characters / 4) };
}

/** [X40] Who works, and how much of the budget is used. */
function moneyLine({ tokens, cost }: Board, { state: { budget } }: Trail, agent: string | undefined): Line {
  const { maxTokens, maxCostUsd } = budget;
  const parts = [
    ...(agent === undefined ? [] : [agent]),
    ...(maxTokens === undefined ? [] : [`${amountText(tokens)} of ${amountText(maxTokens)} tokens`]),
    ...(maxCostUsd === undefined ? [] : [`${costText(cost)} of ${costText(maxCostUsd)}`]),
  ];
  return line(toned("dim", parts.join(" · ")));
}

function isAgent({ state: { phase, graph } }: Trail): boolean {
  if (phase.kind !== "visiting") return false;
  const socket = graph.sockets[phase.visit.socket];
  return socket !== undefined && graph.materia[socket.materia]?.type === "agent";
}

function statusWords({ status, position, item, elapsedMs, tokens }: Board): string {
  return [
    `${statusMark(status).text} materia`,
    ...(position ? [position.atWork ? visitWords(position) : position.materia] : []),
    ...(item ? [`item ${item.number} of ${item.of}`] : []),
    clockText(elapsedMs),
    `${amountText(tokens)} tokens`,
  ].join(" · ");
}
