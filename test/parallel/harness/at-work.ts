import type { UserSession } from "../../../src/apps/pi/session/user-session.ts";
import { createCastWatch, type CastWatch } from "../../../src/apps/pi/screen/cast-watch.ts";
import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import type { CastStep } from "../../../src/core/cast/timeline.ts";
import { NO_LIVE_ITEMS, advanceLiveItem } from "../../../src/core/view/progress/live-items.ts";
import type { CastFile } from "../../../src/shell/store/cast-file.ts";
import { eventsOf, live, newPlace } from "./lives.ts";
import { doing, parallelWorkshop } from "./scenarios.ts";

/** A cast in the moment in which all its items are at work. */
export interface AtWork {
  readonly file: CastFile;
  readonly events: readonly CastEvent[];
  /** What the casts of its items have done so far. */
  readonly steps: readonly CastStep[];
}

export async function itemsAtWork(titles: readonly string[]): Promise<AtWork> {
  const workItems = titles.map((title) => ({ title, context: "c" }));
  const build = { "Socket-2": () => ({ text: "built", tokens: 10, patience: 50 }) };
  const place = newPlace({ config: parallelWorkshop(titles.length), files: {}, deed: doing(workItems, build) });
  const steps: CastStep[] = [];
  let lanes = NO_LIVE_ITEMS;
  await live(place, {
    onItemSteps: (more) => {
      if (lanes.size === titles.length) return;
      for (const step of more) lanes = advanceLiveItem(lanes, step);
      steps.push(...more);
    },
  });
  const events = await eventsOf(place);
  const until = events.findIndex(({ type }) => type === "item_ended");
  return { file: place.file, events: events.slice(0, until), steps };
}

/** The same with another title for every item. */
export function retitled({ file, events, steps }: AtWork, title: string): AtWork {
  const named = (state: CastStep["after"]): CastStep["after"] =>
    state.pass
      ? { ...state, pass: { ...state.pass, items: state.pass.items.map((item) => ({ ...item, title })) } }
      : state;
  return { file, events, steps: steps.map((step) => ({ ...step, after: named(step.after) })) };
}

/** As Pi shows it to a person who has opened the widget. */
export function watched({ steps, ...cast }: AtWork, hint = ""): CastWatch {
  const watch = createCastWatch(cast, {
    onVisit: () => undefined,
    onChange: () => undefined,
    user: { ctx: { ui: { getToolsExpanded: () => true } } } as unknown as UserSession, // no more of it is used
    hint: () => hint,
  });
  watch.onItemSteps(steps);
  return watch;
}
