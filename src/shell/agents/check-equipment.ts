import { error, isError, type Issue } from "../../core/model/issue.ts";
import { KNOWN_TOOLS } from "../../core/model/materia.ts";
import { thrownMessage } from "../../core/model/text.ts";
import type { AgentRequirement, EquipmentDigest, PreflightPlace, TurnRequest } from "../ports.ts";
import { resolveEquipment } from "./equipment.ts";
import { toolIssues } from "./pi-models.ts";
import { probeTools, type EquippedSetup } from "./equipped-session.ts";
import type { PiContext } from "./pi-sdk.ts";

export interface CheckedEquipment {
  readonly issues: readonly Issue[];
  readonly digests: readonly EquipmentDigest[];
}

export const NO_EQUIPMENT: CheckedEquipment = { issues: [], digests: [] };

/** [YP1] Opens a session for each agent that names more than Pi's own tools, and compares. No model is asked. */
export async function checkEquipment(
  setup: PiContext & EquippedSetup,
  needs: readonly AgentRequirement[],
  place: PreflightPlace = { cwd: process.cwd() },
): Promise<CheckedEquipment> {
  const issues: Issue[] = [];
  const digests = new Map<string, EquipmentDigest>();
  const isPlain = ({ tools, skills, extensions, mcp }: AgentRequirement): boolean =>
    tools.every((tool) => KNOWN_TOOLS.includes(tool)) && !(skills ?? extensions ?? mcp);
  for (const need of Map.groupBy(
    needs.filter((each) => !isPlain(each)),
    ({ materia }) => materia,
  ).values()) {
    const [first] = need;
    if (!first) continue;
    const found = await resolveEquipment(setup.pi, setup.scripted ? { ...first, mcp: [] } : first, place);
    issues.push(...found.issues);
    found.digests.forEach((each) => digests.set(`${each.kind} ${each.name}`, each));
    if (found.issues.some(isError)) continue;
    try {
      issues.push(...toolIssues(need, await probeTools(setup, probeRequest(first, place))));
    } catch (thrown) {
      issues.push(error("unusable_equipment", ["materia", first.materia], thrownMessage(thrown)));
    }
  }
  return { issues, digests: [...digests.values()] };
}

/** Only the fields that open a session; nothing is asked with it. */
function probeRequest(need: AgentRequirement, { cwd, withoutProject }: PreflightPlace): TurnRequest {
  const { skills, extensions, mcp, sandbox, tools, materia, socket } = need;
  const fields = {
    skills,
    extensions,
    mcp,
    sandbox,
    tools,
    materia,
    socket,
    cwd,
    ...(withoutProject ? { withoutProject } : {}),
  };
  return fields as unknown as TurnRequest;
}
