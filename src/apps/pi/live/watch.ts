import { addUsage, type Usage } from "../../../core/cast/state/usage.ts";
import { startState } from "../../../core/cast/state/state.ts";
import { stepsFrom, type CastStep } from "../../../core/cast/step.ts";
import { boardLines, boardOf, visitWords, type Board } from "../../../core/view/now/board.ts";
import { statusMark } from "../../../core/view/casts.ts";
import { amountText, clockText, costText } from "../../../core/view/numbers.ts";
import { follow, startTrail, type Trail } from "../../../core/view/now/trail.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import { startOf } from "../../../shell/store/cast-file.ts";
import type { Listening } from "../../../shell/casting/drive/driver.ts";
import { openItemRows, type LiveItemRows } from "../../../shell/casting/live/item-rows.ts";
import { UNUSED, turnAfter, turnHeard, usageSoFar } from "../../../shell/casting/live/uncounted-use.ts";
import { activityLines, IDLE, withProgress, type Activity } from "./activity.ts";
import type { Card } from "../cards/card.ts";
import { openItemTales, type ItemTale } from "../cards/item-tales.ts";
import { openVisitCards } from "../cards/visit-cards.ts";
import { PROGRAM } from "../session/place.ts";
import type { Picture } from "./widget.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";

/** A cast as it goes on, for whoever shows it. */
export interface Watch extends Required<Omit<Listening, "signal" | "onQueued" | "onSettingUp">> {
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

export function openWatch({ file, events: before }: Pick<LoadedCast, "file" | "events">, watcher: Watcher): Watch {
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
  let turn = UNUSED;
  const items = openItemRows();
  const board = (): Board => runningBoard(trail, addUsage(usageSoFar(turn), items.usage()));
  return {
    trail: () => trail,
    items: tales.all,
    used: () => turn.used,
    onSteps: (steps) => {
      for (const step of steps) {
        trail = follow(trail, step);
        tales.follow(step);
        items.follow(step);
        watcher.onStep?.(step);
        turn = turnAfter(turn, step.event);
        if (step.event.type === "visit_started") activity = IDLE;
        for (const card of cards.follow(step)) watcher.onVisit(card);
      }
      watcher.onChange();
    },
    onProgress: (progress) => {
      cards.note(progress);
      activity = watcher.streams() ? undefined : withProgress(activity ?? IDLE, progress);
      turn = turnHeard(turn, progress);
      watcher.onChange();
    },
    ...itemsHeard(items, watcher),
    picture: {
      lines: (width) => {
        const now = board();
        return [
          ...boardLines(now, width),
          ...items.lines(Date.now(), width),
          ...agentLines(now, { trail, activity, watcher, width }),
        ];
      },
      status: () => statusWords(board()),
    },
  };
}

/** What is heard of items is seen at once. */
function itemsHeard(
  { onItemSteps, onItemProgress, onItemQueued }: LiveItemRows,
  watcher: Watcher,
): Pick<Watch, "onItemSteps" | "onItemProgress" | "onItemQueued"> {
  return {
    onItemSteps: (steps) => {
      onItemSteps(steps);
      for (const step of steps) watcher.onStep?.(step);
      watcher.onChange();
    },
    onItemProgress: (progress, state) => {
      onItemProgress(progress, state);
      watcher.onChange();
    },
    onItemQueued: (state) => {
      onItemQueued(state);
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
