import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isError, issuesText } from "../../../core/model/issue.ts";
import { KNOWN_TOOLS, splitModels } from "../../../core/model/materia.ts";
import { parseMillis } from "../../../core/model/text.ts";
import { originalAgentChoice } from "../../casting/resume-cast.ts";
import type { AgentHost, AgentRequirement } from "../../ports.ts";
import type { LoadedCast } from "../../store/cast-store.ts";
import { errorText, ignoreLocalErrors } from "../../system/files.ts";
import { sandboxIssues, agentNeeds, openPiHost } from "../../workspace/agent-hosts.ts";
import { describeMissingMcp } from "../../agents/mcp-servers.ts";
import { loadPi } from "../../agents/pi-sdk.ts";
import { compareEquipment } from "../../agents/equipped-session.ts";
import { isOwnSkill, SKILLS_FILE, withPackedSkills } from "../../agents/packed-skills.ts";
import type { DispatchContext } from "./run-dispatch.ts";

const PROBE_BYTES = 256 * 1024;

/** What the system and git say of a disk that fails. */
const DISK_REASON = /\b(ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE)\b|No space left on device|Disk quota exceeded/;

/** [B83] Why this machine cannot write files, or could not at the failure. Another worker may have room: the cast need not fail. */
export function diskProblem(folder: string, failure: string): string | undefined {
  if (DISK_REASON.test(failure)) return `this worker could not write files: ${failure}`;
  const file = join(folder, `.probe-${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flush: true });
    rmSync(file);
    return undefined;
  } catch (thrown) {
    ignoreLocalErrors(() => rmSync(file, { force: true }));
    return `this worker cannot write files: ${errorText(thrown)}`;
  }
}

/** [B16] The agents of a cast, or what this worker lacks for them. */
export async function openHostFor(
  { store, limits, trees }: Pick<DispatchContext, "store" | "limits" | "trees">,
  cast: LoadedCast,
): Promise<AgentHost | { readonly why: string }> {
  const { castId, file } = cast;
  const { equipment = [] } = file;
  const skills = await store.readAttachment(castId, SKILLS_FILE);
  const withSkills = (host: AgentHost): AgentHost =>
    skills === undefined ? host : withPackedSkills(host, equipment, { folder: trees.skillsOf(castId), text: skills });
  const needed = equipment.filter((part) => skills === undefined || !isOwnSkill(part));
  const sandboxes = await sandboxIssues(file.graph, { env: process.env, cwd: tmpdir() });
  const lacked = sandboxes.length > 0 ? issuesText(sandboxes) : await compareEquipment(needed);
  if (lacked !== undefined) return { why: lacked };
  const choice = await originalAgentChoice(store, file);
  if (!choice.ok) return { why: issuesText(choice.issues) };
  const { rehearsal } = choice.value;
  if (typeof rehearsal === "object")
    return withSkills((await import("../../agents/rehearsal-host.ts")).createRehearsalHost(rehearsal, {}));
  const host = await openPiHost(choice.value, {});
  const needs = agentNeeds(file.graph, choice.value.model);
  const issues = (await host.preflight(needs.map(withoutEquipment))).filter(isError);
  const missing = needs.some(({ mcp }) => mcp) ? describeMissingMcp(await loadPi()) : undefined;
  const why =
    issues.length > 0 ? issuesText(issues) : (missing ?? (await describeRefusal(cast, needs, { host, limits })));
  return why === undefined ? withSkills(host) : { why };
}

/** [YP7] The tree is not here yet, and may bring skills and extensions: the turn itself refuses before its first request. */
function withoutEquipment({ skills: _skills, extensions, mcp, ...need }: AgentRequirement): AgentRequirement {
  return (extensions ?? mcp) ? { ...need, tools: need.tools.filter((tool) => KNOWN_TOOLS.includes(tool)) } : need;
}

/** [Z16] Whether all models of an agent are refused now. A limit that was met before somebody continued the cast does not count. */
async function describeRefusal(
  { state, events }: LoadedCast,
  needs: readonly AgentRequirement[],
  { host, limits }: Pick<DispatchContext, "limits"> & { readonly host: AgentHost },
): Promise<string | undefined> {
  const now = Date.now();
  const resumedAt = parseMillis(events.findLast(({ type }) => type === "cast_resumed")?.at ?? "", 0);
  // Another worker may have died while the cast slept.
  const own = state.phase.kind === "sleeping" ? state.providers.refused : {};
  const endOf = async (model: string): Promise<number> => {
    const limit = await limits.find(model, now);
    return Math.max(limit && limit.metAt > resumedAt ? limit.until : 0, own[model] ?? 0);
  };
  for (const { model } of needs) {
    const models = model === undefined ? ((await host.defaultModels?.()) ?? []) : splitModels(model);
    const first = Math.min(...(await Promise.all(models.map(endOf))));
    if (models.length === 0 || first <= now) continue;
    return `the provider refuses ${models.join(", ")} until ${new Date(first).toISOString()}; a worker begins it then`;
  }
  return undefined;
}
