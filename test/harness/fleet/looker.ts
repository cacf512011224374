import { parseCastId } from "../../../src/core/model/ids.ts";
import { NO_LANES, followLane, followParent, laneLines, laneUses } from "../../../src/core/view/now/lanes.ts";
import { lineText } from "../../../src/core/view/text/line.ts";
import type { Listening } from "../../../src/shell/casting/drive/driver.ts";
import { openWorkspace } from "../../../src/shell/casting/workspace/workspace.ts";
import { followOnFleet } from "../../../src/shell/commands/fleet/follow.ts";
import { workspaceOn } from "../../../src/shell/fleet/on-fleet.ts";
import { envOf } from "../cli.ts";
import type { FleetPlace } from "./fleet-place.ts";
import { closing } from "./postgres.ts";

/** Somebody who looks at a cast, with the rows of its items as they see them. */
export async function looker({ cwd, url }: FleetPlace, castId: string, also: Pick<Listening, "onQueued"> = {}) {
  const here = openWorkspace({ cwd, env: { ...envOf(cwd), FLEET_URL: url } });
  const there = here.ok ? await workspaceOn(here.value, "f") : here;
  if (!there.ok) throw new Error(JSON.stringify(there.issues));
  const { workspace } = closing(there.value);
  const id = parseCastId(castId);
  const cast = id && (await workspace.store.load(id));
  if (!cast?.ok) throw new Error(`no cast ${castId}`);
  let lanes = NO_LANES;
  const end = followOnFleet(workspace, cast.value, {
    ...also,
    signal: new AbortController().signal,
    onSteps: (steps) => {
      for (const step of steps) lanes = followParent(lanes, step);
    },
    onItemSteps: (steps) => {
      for (const step of steps) lanes = followLane(lanes, step);
    },
    onItemProgress: (progress, state) => {
      if (progress.kind === "used") lanes = laneUses(lanes, state, progress.usage);
    },
  });
  return { end, rows: (width = 130): readonly string[] => laneLines(lanes, Date.now(), width).map(lineText) };
}
