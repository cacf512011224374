import { expect, it } from "vitest";
import { activityLines, IDLE_ACTIVITY, applyProgress } from "../../src/apps/pi/screen/agent-activity.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import { plainText } from "../../src/core/view/line.ts";
import type { TurnProgress } from "../../src/shell/ports.ts";

const call = (id: string, failed?: boolean): readonly TurnProgress[] => [
  { kind: "tool_started", id, name: "bash", args: { command: `run ${id}` } },
  ...(failed === undefined ? [] : [{ kind: "tool_ended" as const, id, name: "bash", failed, said: "" }]),
];

it.each<[title: string, progress: readonly TurnProgress[], opened: boolean, shown: readonly string[]]>([
  ["[X9] before anything is heard", [], false, ["  … asking"]],
  ["[X9] a tool that runs", call("1"), false, ["  ▸ bash run 1"]],
  [
    "[X9] the last two calls, with their outcome",
    [...call("1", false), ...call("2", true), ...call("3", false)],
    false,
    ["  ✕ bash run 2", "  ✓ bash run 3", "  … asking"],
  ],
  [
    "[X9] more of them where there is room",
    [...call("1", false), ...call("2", true), ...call("3")],
    true,
    ["  ✓ bash run 1", "  ✕ bash run 2", "  ▸ bash run 3"],
  ],
  [
    "[X9] the end of what is being said",
    [
      { kind: "text", delta: "one two three " },
      { kind: "text", delta: "four five six seven" },
    ],
    false,
    ["  » five six seven"],
  ],
  [
    "[X9] more of it where there is room",
    [{ kind: "text", delta: "one two three four five six seven" }],
    true,
    ["  » one two three four", "  » five six seven"],
  ],
  [
    "[X9] a gap between one reply and the next",
    [
      { kind: "text", delta: "done." },
      { kind: "used", usage: NO_USAGE },
      { kind: "text", delta: "I have" },
    ],
    false,
    ["  » done. I have"],
  ],
  ["[X9] that it thinks", [{ kind: "thinking", delta: "hm" }], false, ["  … thinking"]],
  [
    "[X9] that it tries again",
    [{ kind: "retrying", attempt: 2, delayMs: 0, error: "503" }],
    false,
    ["  ↻ retry 2: 503"],
  ],
  [
    "[X9] control characters never reach the screen",
    [{ kind: "tool_started", id: "1", name: "bash", args: { command: "\u001b[2Jx" } }],
    false,
    ["  ▸ bash x"],
  ],
])("%s", (_title, progress, opened, shown) => {
  const activity = progress.reduce(applyProgress, IDLE_ACTIVITY);
  expect(plainText(activityLines(activity, 24, opened)).split("\n")).toEqual(shown);
});
