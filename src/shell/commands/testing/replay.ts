import type { Command } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { differencesOf, type Difference } from "../../../core/testing/replay/differences.ts";
import { replayCast } from "../../../core/testing/replay/replay.ts";
import { allReplayLines, replayLines } from "../../../core/testing/replay/lines.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import { graphsNow, recordedOf, startNow, type GraphsNow } from "../../testing/replay-cast.ts";
import type { Answer } from "../answer/answer.ts";

type ReplayCommand = Extract<Command, { kind: "replay" }>;

/** Different from what happened: the same code as for a cast that is not satisfied. */
const DIFFERENT = 3;

/** [T15, T16] The present configuration on what was answered then. */
export async function replay(workspace: Workspace, command: ReplayCommand): Promise<Result<Answer>> {
  const graphs = graphsNow(workspace.catalog);
  if (command.all) return replayAll(workspace, command, graphs);
  const id = await castNamed(workspace.store, command.castId);
  if (!id.ok) return id;
  const told = await replayOne(workspace, id.value, { graphs, loadout: command.loadout });
  if (!told.ok) return told;
  const { castId, differences, visits } = told.value;
  const same = differences.length === 0;
  return ok({
    code: same ? 0 : DIFFERENT,
    data: { castId, same, differences },
    lines: (width) => replayLines({ castId, differences, visits }, width),
  });
}

interface Told {
  readonly castId: CastId;
  readonly visits: number;
  readonly differences: readonly Difference[];
}

interface Setting {
  readonly graphs: GraphsNow;
  readonly loadout?: string | undefined;
}

async function replayOne({ store, catalog }: Workspace, castId: CastId, setting: Setting): Promise<Result<Told>> {
  const cast = await store.load(castId);
  if (!cast.ok) return cast;
  const start = startNow(cast.value.file, { ...setting, catalog });
  if (!start.ok) return start;
  const recorded = await recordedOf(store, cast.value, start.value.graph);
  const differences = differencesOf(recorded, replayCast(recorded, start.value));
  return ok({ castId, differences, visits: cast.value.state.begun });
}

/** [T16] Every cast here, those of one loadout where it is named. */
async function replayAll(workspace: Workspace, { loadout }: ReplayCommand, graphs: GraphsNow): Promise<Result<Answer>> {
  const ids = await workspace.store.ids();
  if (!ids.ok) return ids;
  const told: Told[] = [];
  const refused: { readonly castId: CastId; readonly issues: readonly Issue[] }[] = [];
  for (const castId of ids.value) {
    if (loadout !== undefined && !(await isOf(workspace, castId, loadout))) continue;
    const one = await replayOne(workspace, castId, { graphs });
    if (one.ok) told.push(one.value);
    else refused.push({ castId, issues: one.issues });
  }
  if (told.length + refused.length === 0)
    return fail(error("no_cast", workspace.store.place, "there are no casts here that could be replayed"));
  const different = told.filter(({ differences }) => differences.length > 0);
  return ok({
    code: different.length + refused.length === 0 ? 0 : DIFFERENT,
    data: {
      casts: told.length + refused.length,
      same: told.length - different.length,
      different: different.map(({ castId, differences }) => ({ castId, same: false, differences })),
      refused: refused.map(({ castId, issues }) => ({ castId, message: issues[0]?.message ?? "" })),
    },
    lines: (width) => allReplayLines({ told, refused }, width),
  });
}

async function isOf({ store }: Workspace, castId: CastId, loadout: string): Promise<boolean> {
  const file = await store.describe(castId);
  const [only, ...others] = file.ok ? file.value.targets : [];
  return only?.kind === "loadout" && only.name === loadout && others.length === 0;
}
