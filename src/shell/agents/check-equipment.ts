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
  const offered = new Set<string>();
  const isPlain = ({ tools, skills, extensions }: AgentRequirement): boolean =>
    tools.every((tool) => KNOWN_TOOLS.includes(tool)) && !(skills ?? extensions);
  for (const need of Map.groupBy(
    needs.filter((each) => !isPlain(each)),
    ({ materia }) => materia,
  ).values()) {
    const [first] = need;
    if (!first) continue;
    const found = await resolveEquipment(setup.pi, first, place);
    issues.push(...found.issues);
    found.digests.forEach((each) => digests.set(`${each.kind} ${each.name}`, each));
    if (found.issues.some(isError)) first.tools.forEach((tool) => offered.add(tool));
    else
      try {
        (await probeTools(setup, probeRequest(first, place))).forEach((tool) => offered.add(tool));
      } catch (thrown) {
        first.tools.forEach((tool) => offered.add(tool));
        issues.push(error("unusable_equipment", ["materia", first.materia, "extensions"], thrownMessage(thrown)));
      }
  }
  return { issues: [...toolIssues(needs, [...offered]), ...issues], digests: [...digests.values()] };
}

/** Only the fields that open a session; nothing is asked with it. */
function probeRequest(need: AgentRequirement, { cwd, withoutProject }: PreflightPlace): TurnRequest {
  const { skills, extensions, tools, materia, socket } = need;
  const fields = { skills, extensions, tools, materia, socket, cwd, ...(withoutProject ? { withoutProject } : {}) };
  return fields as unknown as TurnRequest;
}
