import { expect, it } from "vitest";
import { forwardToScreen, type Screen } from "../../src/apps/pi/screen/screen.ts";
import type { CastWatch } from "../../src/apps/pi/screen/cast-watch.ts";

it("[X3] events of items of a parallel loop are data with the id of the item's cast", () => {
  const heard: string[] = [];
  const screen = { sendNews: (castId: string, news: object) => heard.push(`${castId} ${Object.keys(news).join()}`) };
  const nothing = (): void => undefined;
  const watch = { onSteps: nothing, onProgress: nothing, onItemSteps: nothing, onItemProgress: nothing };
  const all = forwardToScreen(screen as unknown as Screen, watch as unknown as CastWatch); // no more of them is used
  const at = (castId: string) => ({ castId }) as Parameters<CastWatch["onProgress"]>[1];
  const steps = (castId: string) =>
    [{ event: {}, after: at(castId) }] as unknown as Parameters<CastWatch["onSteps"]>[0];
  all.onSteps(steps("cast"));
  all.onProgress({ kind: "text", delta: "a" }, at("cast"));
  all.onItemSteps(steps("cast_1_WI-1"));
  all.onItemProgress({ kind: "text", delta: "a" }, at("cast_1_WI-1"));
  expect(heard).toEqual(["cast event", "cast progress", "cast_1_WI-1 event", "cast_1_WI-1 progress"]);
});
