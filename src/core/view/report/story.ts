import { appendAll } from "../../model/lists.ts";
import type { CastEvent } from "../../cast/state/event.ts";
import type { CastStart, CastState } from "../../cast/state/state.ts";
import { replaySteps, elapsedMs } from "../../cast/timeline.ts";
import { totalsOf } from "../../cast/state/usage.ts";
import { oneLine } from "../../model/text.ts";
import { statusSymbol, statusText } from "../cast-list.ts";
import { nameText } from "../graph/labels.ts";
import { figuresLine, figuresText, durationText } from "../numbers.ts";
import { nextSteps, type NextStep } from "./next-steps.ts";
import type { DetailLevel } from "./handoff-lines.ts";
import { createStoryWriter, type VisitNotes } from "./story-writer.ts";
import { wrapColumns, DEFAULT_WIDTH, fitLine, line, lineColumns, toned, wrapLine, type Line } from "../line.ts";
import { castStatus, type CastLiveness, type CastStatus, castFigures } from "../../cast/summary.ts";
import { initialState } from "../../cast/state/initial-state.ts";

export interface StoryOptions {
  /** [C52] The events of one page, by `seq`; all of them if unset. */
  readonly shown?: { readonly from: number; readonly to: number };
  readonly width?: number;
  /** Whether a process runs the cast, and the current time, which its duration needs. */
  readonly alive?: CastLiveness;
  readonly now?: number;
  /** The word before a command: `materia`, or `/materia` in Pi. */
  readonly program?: string;
  readonly lineage?: CastOrigin;
  /** How much of each text to show. */
  readonly extent?: DetailLevel;
  readonly aside?: VisitNotes;
  /** The models, if known. */
  readonly models?: string;
}

/** The targets of a linked cast, and the cast that it continues. */
export interface CastOrigin {
  readonly targets: readonly string[];
  readonly fromCastId: string | null;
}

/** [C15] The story of a cast: head, visits in order, its end, and the next commands. */
export function storyLines(start: CastStart, events: Iterable<CastEvent>, options: StoryOptions = {}): readonly Line[] {
  const { width = DEFAULT_WIDTH, alive = false, program = "materia", lineage, now = 0 } = options;
  const first = initialState(start);
  const writer = createStoryWriter(first, width, options.extent, options.aside);
  const body: Line[] = [];
  const { from, to } = options.shown ?? { from: 0, to: Infinity };
  for (const step of replaySteps(first, events)) {
    const { seq } = step.event;
    if (seq === to + 1) appendAll(body, writer.flush());
    if (seq >= from && seq <= to) appendAll(body, writer.write(step));
    else writer.skip(step);
  }
  appendAll(body, writer.flush());
  const { state, clock } = writer.current();
  const status = castStatus(state, alive);
  const worked = elapsedMs(clock, { status, now });
  const head = headLines(state, {
    status,
    worked,
    origin: originText(state.graph.name, lineage),
    width,
    models: options.models,
  });
  return [...head, ...body, ...footLines(state, status, { program, width })].map((each) => fitLine(each, width));
}

interface StoryHead {
  readonly status: CastStatus;
  readonly worked: number;
  readonly origin: string;
  readonly width: number;
  readonly models: string | undefined;
}

function headLines(state: CastState, { status, worked, origin, width, models }: StoryHead): readonly Line[] {
  const { castId, request, rehearsed } = state;
  const mark = statusSymbol(status);
  const texts = [
    oneLine(origin, 3 * width),
    `Request: ${oneLine(request, 3 * width)}`,
    ...(models === undefined ? [] : [`Model: ${oneLine(models, 3 * width)}`]),
  ];
  return [
    line(toned("strong", `Cast ${castId}`), "  ", { ...mark, text: `${mark.text} ${statusText(status)}` }),
    ...wrapLine(
      figuresLine(`${durationText(worked)} · ${figuresText(castFigures(totalsOf(state)))}`, rehearsed),
      width,
    ),
    ...texts.flatMap((text) => wrapColumns(text, width)).map((text) => line(text)),
  ];
}

/** `Full-Auto`, or `linked: Context-Check → Build, continued from …`. */
export function originText(
  loadout: string,
  { targets, fromCastId }: CastOrigin = { targets: [], fromCastId: null },
): string {
  const chain = targets.length > 1 ? `linked: ${targets.map(nameText).join(" → ")}` : nameText(loadout);
  return fromCastId === null ? chain : `${chain}, continued from ${nameText(fromCastId)}`;
}

function footLines(
  state: CastState,
  status: CastStatus,
  { program, width }: { readonly program: string; readonly width: number },
): readonly Line[] {
  const standing = state.phase.kind === "ended" ? [] : [[], line(statusSymbol(status), ` ${statusText(status)}`)];
  return [
    ...standing,
    ...nextSteps(state, status, program).flatMap((step) =>
      wrapLine(line("  ", ...nextStepLine(step, width - 2)), width),
    ),
  ];
}

/** People copy the command, so a narrow line drops the explanation. */
export function nextStepLine({ command, does }: NextStep, width: number): Line {
  const whole = line(toned("accent", command), toned("dim", `  ${does}`));
  return lineColumns(whole) <= width ? whole : line(toned("accent", command));
}
