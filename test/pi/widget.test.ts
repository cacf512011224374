import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openWidget } from "../../src/apps/pi/live/widget.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("[X8] nothing is drawn after the widget was closed, whenever it last changed", () => {
  const drawn: (string | undefined)[] = [];
  const ui = { setWidget: () => undefined, setStatus: (_key: string, text?: string) => void drawn.push(text) };
  const ctx = { mode: "rpc", ui } as unknown as ExtensionContext; // no more of it is used
  const widget = openWidget(ctx, { lines: () => [], status: () => "runs" });
  vi.advanceTimersByTime(950);
  widget.changed();
  // The tick comes before the frame of this change, and another change behind it.
  vi.advanceTimersByTime(60);
  widget.changed();
  vi.advanceTimersByTime(50);
  widget.close();
  widget.changed();
  vi.advanceTimersByTime(5_000);
  expect(drawn.at(-1)).toBeUndefined();
});
