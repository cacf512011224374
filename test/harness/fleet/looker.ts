import { Readable } from "node:stream";
import type { Io } from "../../../src/apps/cli/terminal/io.ts";
import { parseCastId } from "../../../src/core/model/ids.ts";
import { lineText } from "../../../src/core/view/line.ts";
import type { RunObserver } from "../../../src/shell/context/run-context.ts";
import { createItemRows } from "../../../src/shell/casting/live-items.ts";
import { loadWorkspace } from "../../../src/shell/workspace/workspace.ts";
import { followFleetCast } from "../../../src/shell/commands/prepare-on-fleet.ts";
import { openFleetWorkspace } from "../../../src/shell/fleet/fleet-workspace.ts";
import { envOf } from "../cli.ts";
import type { FleetPlace } from "./fleet-place.ts";
import { closing } from "./postgres.ts";

/** Somebody who looks at a cast, with the rows of its items as they see them. */
export async function looker(
  { cwd, url }: FleetPlace,
  castId: string,
  also: Pick<RunObserver, "onQueued" | "onSettingUp"> = {},
) {
  const here = loadWorkspace({ cwd, env: { ...envOf(cwd), FLEET_URL: url } });
  const there = here.ok ? await openFleetWorkspace(here.value, "f") : here;
  if (!there.ok) throw new Error(JSON.stringify(there.issues));
  const { workspace } = closing(there.value);
  const id = parseCastId(castId);
  const cast = id && (await workspace.store.load(id));
  if (!cast?.ok) throw new Error(`no cast ${castId}`);
  const items = createItemRows();
  const end = followFleetCast(workspace, cast.value, {
    ...also,
    ...items,
    signal: new AbortController().signal,
    onSteps: (steps) => steps.forEach(items.onParentStep),
  });
  return { end, rows: (width = 130): readonly string[] => items.lines(Date.now(), width).map(lineText) };
}

/** What stands in for a terminal, and what is printed there for a person. */
export function printing(): readonly [printed: readonly string[], io: Io] {
  const printed: string[] = [];
  const [env, cwd, stdin] = [{}, "/", Readable.from([])];
  const as = { live: false, canAsk: false, isTerminal: false, color: false, columns: () => 60, program: "materia" };
  return [printed, { ...as, env, cwd, stdin, out: () => undefined, err: (text) => void printed.push(text) }];
}
