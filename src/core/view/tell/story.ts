import type { CastEvent } from "../../cast/state/event.ts";
import { startState, type CastStart, type CastState } from "../../cast/state/state.ts";
import { stepsFrom } from "../../cast/step.ts";
import { totalsOf } from "../../cast/state/usage.ts";
import { oneLine } from "../../model/values/text.ts";
import { statusMark, statusOf, statusText, type Alive, type CastStatus } from "../casts.ts";
import { nameText } from "../graph/words.ts";
import { elapsedMs } from "../clock.ts";
import { figuresLine, figuresOf, figuresText } from "../figures.ts";
import { clockText } from "../numbers.ts";
import { nextSteps, type NextStep } from "./next-step.ts";
import type { Extent } from "./handed.ts";
import { openTeller, type Aside } from "./teller.ts";
import { wrapColumns } from "../text/columns.ts";
import { DEFAULT_WIDTH, fitLine, line, lineColumns, toned, wrapLine, type Line } from "../text/line.ts";

export interface StoryOptions {
  readonly width?: number;
  /** Whether the process of a cast that has not ended still lives, and the time now: such a cast grows older. */
  readonly alive?: Alive;
  readonly now?: number;
  /** What a person types before a command: `materia`, or `/materia` in Pi. */
  readonly program?: string;
  readonly lineage?: Lineage;
  /** How much of each text is told. */
  readonly extent?: Extent;
  readonly aside?: Aside;
  /** Who answered, where that is known. */
  readonly models?: string;
}

/** Where a linked cast comes from. */
export interface Lineage {
  readonly targets: readonly string[];
  readonly fromCastId: string | null;
}

/** [C15] The whole story of a cast: head, visits in order, its end and what can be done now. */
export function storyLines(start: CastStart, events: Iterable<CastEvent>, options: StoryOptions = {}): readonly Line[] {
  const { width = DEFAULT_WIDTH, alive = false, program = "materia", lineage, now = 0 } = options;
  const first = startState(start);
  const teller = openTeller(first, width, options.extent, options.aside);
  const body: Line[] = [];
  for (const step of stepsFrom(first, events)) body.push(...teller.tell(step));
  body.push(...teller.rest());
  const { state, clock } = teller.now();
  const status = statusOf(state, alive);
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

interface Facts {
  readonly status: CastStatus;
  readonly worked: number;
  readonly origin: string;
  readonly width: number;
  readonly models: string | undefined;
}

function headLines(state: CastState, { status, worked, origin, width, models }: Facts): readonly Line[] {
  const { castId, request, rehearsed } = state;
  const mark = statusMark(status);
  const texts = [
    oneLine(origin, 3 * width),
    `Request: ${oneLine(request, 3 * width)}`,
    ...(models === undefined ? [] : [`Model: ${oneLine(models, 3 * width)}`]),
  ];
  return [
    line(toned("strong", `Cast ${castId}`), "  ", { ...mark, text: `${mark.text} ${statusText(status)}` }),
    ...wrapLine(figuresLine(`${clockText(worked)} · ${figuresText(figuresOf(totalsOf(state)))}`, rehearsed), width),
    ...texts.flatMap((text) => wrapColumns(text, width)).map((text) => line(text)),
  ];
}

/** `Full-Auto`, or `linked: Context-Check → Build, continued from …`. */
export function originText(
  loadout: string,
  { targets, fromCastId }: Lineage = { targets: [], fromCastId: null },
): string {
  const chain = targets.length > 1 ? `linked: ${targets.map(nameText).join(" → ")}` : nameText(loadout);
  return fromCastId === null ? chain : `${chain}, continued from ${nameText(fromCastId)}`;
}

function footLines(
  state: CastState,
  status: CastStatus,
  { program, width }: { readonly program: string; readonly width: number },
): readonly Line[] {
  const standing = state.phase.kind === "ended" ? [] : [[], line(statusMark(status), ` ${statusText(status)}`)];
  return [
    ...standing,
    ...nextSteps(state, status, program).flatMap((step) => wrapLine(line("  ", ...stepLine(step, width - 2)), width)),
  ];
}

/** A command is there to be copied: where it does not fit with its explanation, that goes first. */
export function stepLine({ command, does }: NextStep, width: number): Line {
  const whole = line(toned("accent", command), toned("dim", `  ${does}`));
  return lineColumns(whole) <= width ? whole : line(toned("accent", command));
}
