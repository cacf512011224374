import { itemOf, type Cast } from "../cast.ts";
import type { Place } from "../texts.ts";
import type { Said } from "./reply.ts";

const MOST_OPEN = 20;

/** [P12, P14] An agent receives its last answer again; agents outside loops receive what was left open. */
export function report(cast: Cast, place: Place, { handoff, text, excerpt, found, answer }: Said): void {
  const own = answer === false ? excerpt.slice(0, 900) : "";
  const words = !found ? text : handoff.context?.trim() ? handoff.context : own;
  cast.answers.set(`${place.id} ${itemOf(cast)}`, { text: words, refuses: answer === false });
  const about = cast.pass?.items[cast.pass.index]?.title ?? "";
  const others = cast.open.filter((point) => point.by !== place.id || point.about !== about);
  const points = [...words.matchAll(/^Open: (.*)$/gm)].map(([, point = ""]) => ({ by: place.id, about, text: point }));
  cast.open = [...others, ...points].slice(-MOST_OPEN);
}
