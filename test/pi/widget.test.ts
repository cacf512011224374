import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openWidget } from "../../src/apps/pi/screen/widget.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("[X8] nothing is drawn after the widget was closed, whenever it last changed", () => {
  const { ctx, shown } = recording();
  const widget = openWidget(ctx, { lines: () => [], status: () => "runs" });
  vi.advanceTimersByTime(950);
  widget.scheduleDraw();
  // The tick comes before the frame of this change, and another change behind it.
  vi.advanceTimersByTime(60);
  widget.scheduleDraw();
  vi.advanceTimersByTime(50);
  widget.close();
  widget.scheduleDraw();
  vi.advanceTimersByTime(5_000);
  expect(shown.slice(-2)).toEqual(["widget: ", "status: "]);
});

it("[X13] a picture that cannot be drawn shows why, and Pi goes on", () => {
  const { ctx, shown } = recording();
  const broken = (): never => {
    throw new Error("no such socket");
  };
  openWidget(ctx, { lines: broken, status: broken });
  vi.advanceTimersByTime(1_000);
  const problem = "materia cannot draw this: no such socket";
  expect(shown).toEqual([`widget: ${problem}`, `status: ${problem}`]);
});

/** As much of a session as a widget uses. */
function recording(): { readonly ctx: ExtensionContext; readonly shown: readonly string[] } {
  const shown: string[] = [];
  const ui = {
    setWidget: (_key: string, lines: readonly string[] = []) => void shown.push(`widget: ${lines.join("|")}`),
    setStatus: (_key: string, text = "") => void shown.push(`status: ${text}`),
  };
  return { ctx: { mode: "rpc", ui } as unknown as ExtensionContext, shown }; // no more of it is used
}
