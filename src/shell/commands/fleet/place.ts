import { harmless } from "../../../core/model/values/text.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { QueuePlace } from "../../casting/workspace/on-fleet.ts";

/** [B22] Where a cast stands among those of its project that wait, and which limit holds it back. */
export function placeLines(queued: QueuePlace | undefined): readonly Line[] {
  if (!queued) return [];
  const { place, waiting, held } = queued;
  return [
    line(toned("wait", `Waits for a worker: place ${place} of ${waiting} of its project.`)),
    ...held.map(({ kind, name, most }) => {
      const whose = kind === "all" ? "the fleet" : `${kind} ${harmless(name)}`;
      return line(toned("wait", `Held back: ${whose} may have ${most} under way at once.`));
    }),
  ];
}
