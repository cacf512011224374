import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isError, type Issue } from "../../../core/model/issue.ts";
import { originalAgentChoice } from "../../casting/resume-cast.ts";
import type { AgentHost } from "../../ports.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { errorText, ignoreLocalErrors } from "../../system/files.ts";
import { agentNeeds, openPiHost } from "../../workspace/agent-hosts.ts";

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
  store: CastStore,
  { file }: LoadedCast,
): Promise<AgentHost | { readonly issues: readonly Issue[] }> {
  const choice = await originalAgentChoice(store, file);
  if (!choice.ok) return { issues: choice.issues };
  const { rehearsal } = choice.value;
  if (typeof rehearsal === "object")
    return (await import("../../agents/rehearsal-host.ts")).createRehearsalHost(rehearsal, {});
  const host = await openPiHost(choice.value, {});
  const issues = (await host.preflight(agentNeeds(file.graph, choice.value.model))).filter(isError);
  return issues.length > 0 ? { issues } : host;
}
