import type { CommandOf } from "../../core/command/command.ts";
import type { CastId } from "../../core/model/ids.ts";
import { materiaOf, socketsOf } from "../../core/compile/graph.ts";
import { equipmentNames } from "../../core/compile/sandboxes.ts";
import { failWith, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { findDifferences, type ReplayDifference } from "../../core/replay/differences.ts";
import { findItemDifferences, replayCast } from "../../core/replay/replay.ts";
import { allReplayLines, replayLines } from "../../core/view/report/replay-lines.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import {
  createGraphCompiler,
  loadRecordedCast,
  startWithCurrentConfig,
  type CompileGraph,
} from "../casting/rerun-cast.ts";
import type { ReviewProblem } from "../../core/view/issues.ts";
import type { ConfigContext } from "../config/config.ts";
import type { CastFile } from "../store/cast-file.ts";
import { answer, type CommandResult } from "./command-output.ts";

type ReplayCommand = CommandOf<"replay">;

/** The exit code for differences: the same as for a cast that is not satisfied. */
const DIFFERENT_EXIT_CODE = 3;

/** [T15, T16] Replays a cast: the present configuration on the recorded answers. */
export async function runReplay(workspace: Workspace, command: ReplayCommand): CommandResult {
  const compile = createGraphCompiler(workspace.catalog);
  if (command.all) return replayAll(workspace, command, compile);
  const id = await findCast(workspace.store, command.castId);
  if (!id.ok) return id;
  const replayed = await replayOne(workspace, id.value, compile, command.loadout);
  if (!replayed.ok) return replayed;
  const { castId, differences, visits } = replayed.value;
  const same = differences.length === 0;
  return answer({ castId, same, differences }, (width) => replayLines({ castId, differences, visits }, width), {
    code: same ? 0 : DIFFERENT_EXIT_CODE,
    findings: () => replayFindings([replayed.value]),
  });
}

interface ReplayResult {
  readonly castId: CastId;
  readonly visits: number;
  readonly differences: readonly ReplayDifference[];
}

async function replayOne(
  { store, catalog, place }: Workspace,
  castId: CastId,
  compile: CompileGraph,
  loadout?: string,
): Promise<Result<ReplayResult>> {
  const cast = await store.load(castId);
  if (!cast.ok) return cast;
  const start = startWithCurrentConfig(cast.value.file, loadout, { compile, catalog });
  if (!start.ok) return start;
  const recorded = await loadRecordedCast(store, cast.value, start.value.graph);
  const changed = await equipmentDifferences(cast.value.file, place);
  const own = findDifferences(recorded, replayCast(recorded, start.value));
  const inside = findItemDifferences(recorded, start.value).map(({ loop: _loop, ...each }) => each);
  const differences = [...changed, ...own, ...inside];
  return ok({ castId, differences, visits: cast.value.state.begun });
}

/** [YP4] Skills, extensions and servers of agents that have changed since the cast, or are missing. */
async function equipmentDifferences(
  { graph, equipment = [] }: CastFile,
  place: ConfigContext,
): Promise<readonly ReplayDifference[]> {
  if (equipment.length === 0) return [];
  const { findChangedEquipment } = await import("../agents/equipped-session.ts");
  const { issues, changed } = await findChangedEquipment(equipment, place);
  const visitOf = (part: string): string =>
    socketsOf(graph).find((socket) => equipmentNames(graph, materiaOf(graph, socket)).includes(part))?.id ?? "";
  return [
    ...issues.map(({ message }) => ({ visit: `${graph.entry}#1`, kind: "prompt" as const, message })),
    ...changed.map(({ kind, name }) => {
      const part = kind === "server" ? `MCP server ${name}` : `${kind} ${name}`;
      return {
        visit: `${visitOf(part)}#1`,
        kind: "prompt" as const,
        message: `the ${part} has changed since the cast`,
      };
    }),
  ];
}

/** [T16] Every cast here, or those of one loadout. */
async function replayAll(workspace: Workspace, { loadout }: ReplayCommand, compile: CompileGraph): CommandResult {
  const ids = await workspace.store.listIds();
  if (!ids.ok) return ids;
  const results: ReplayResult[] = [];
  const refused: { readonly castId: CastId; readonly issues: readonly Issue[] }[] = [];
  for (const castId of ids.value) {
    if (loadout !== undefined && !(await isCastOf(workspace, castId, loadout))) continue;
    const one = await replayOne(workspace, castId, compile);
    if (one.ok) results.push(one.value);
    else refused.push({ castId, issues: one.issues });
  }
  if (results.length + refused.length === 0)
    return failWith("missing_cast", workspace.store.location, "no casts here can be replayed");
  const different = results.filter(({ differences }) => differences.length > 0);
  const code = different.length + refused.length === 0 ? 0 : DIFFERENT_EXIT_CODE;
  const data = {
    casts: results.length + refused.length,
    same: results.length - different.length,
    different: different.map(({ castId, differences }) => ({ castId, same: false, differences })),
    refused: refused.map(({ castId, issues }) => ({ castId, message: issues[0]?.message ?? "" })),
  };
  const findings = () => replayFindings(results);
  return answer(data, (width) => allReplayLines(results, refused, width), { code, findings });
}

function replayFindings(results: readonly ReplayResult[]): readonly ReviewProblem[] {
  return results.flatMap(({ castId, differences }) =>
    differences.map(({ visit, kind, message }) => ({
      severity: "warning" as const,
      code: `replay_${kind}`,
      message: `${castId} ${visit ?? ""}: ${message}`,
    })),
  );
}

async function isCastOf({ store }: Workspace, castId: CastId, loadout: string): Promise<boolean> {
  const file = await store.readCastFile(castId);
  const [only, ...others] = file.ok ? file.value.targets : [];
  return only?.kind === "loadout" && only.name === loadout && others.length === 0;
}
