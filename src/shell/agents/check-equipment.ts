import { tmpdir } from "node:os";
import { error, isError, issuesText, type Issue } from "../../core/model/issue.ts";
import { KNOWN_TOOLS } from "../../core/model/materia.ts";
import { thrownMessage } from "../../core/model/text.ts";
import type { AgentRequirement, EquipmentDigest, PreflightPlace, TurnRequest } from "../ports.ts";
import { resolveEquipment } from "./equipment.ts";
import { toolIssues } from "./pi-models.ts";
import { probeTools, type EquippedSetup } from "./equipped-session.ts";
import { loadPi, type PiContext } from "./pi-sdk.ts";

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
  const absent: AgentRequirement[] = [];
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
      const own = await probeTools(setup, probeRequest(first, place));
      own.forEach((tool) => offered.add(tool));
      absent.push(...need.map((each) => ({ ...each, tools: each.tools.filter((tool) => !own.includes(tool)) })));
    } catch (thrown) {
      issues.push(error("unusable_equipment", ["materia", first.materia], thrownMessage(thrown)));
    }
  }
  // What another agent is offered is no tool of this one.
  const lacked = absent.flatMap(({ tools }) => tools);
  const known = [...offered].filter((tool) => !lacked.includes(tool));
  return { issues: [...toolIssues(absent, known), ...issues], digests: [...digests.values()] };
}

/** [YP7] The same parts where no agent will run: what workers must have. What is missing here may exist there. */
export async function listEquipment(
  needs: readonly AgentRequirement[],
  place: PreflightPlace,
): Promise<readonly EquipmentDigest[]> {
  const named = needs.filter(({ skills, extensions, mcp }) => skills ?? extensions ?? mcp);
  if (named.length === 0) return [];
  try {
    const pi = await loadPi();
    const found = await Promise.all(named.map((need) => resolveEquipment(pi, need, place)));
    const digests = found.flatMap((each) => each.digests);
    return [...new Map(digests.map((each) => [`${each.kind} ${each.name}`, each])).values()];
  } catch {
    return [];
  }
}

/** [YP7] Why the parts of this machine are not those of the cast, if so. A server may have other paths here. */
export async function compareEquipment(wanted: readonly EquipmentDigest[]): Promise<string | undefined> {
  const own = wanted.filter(({ ofProject }) => ofProject !== true);
  if (own.length === 0) return undefined;
  const namesOf = (kind: EquipmentDigest["kind"]) => own.filter((each) => each.kind === kind).map(({ name }) => name);
  const parts = { skills: namesOf("skill"), extensions: namesOf("extension"), mcp: namesOf("server") };
  const place = { cwd: tmpdir(), withoutProject: true };
  const found = await resolveEquipment(await loadPi(), { ...parts, materia: "the cast", tools: ["read"] }, place);
  if (found.issues.length > 0) return issuesText(found.issues);
  const isSame = ({ kind, name, digest }: EquipmentDigest): boolean =>
    kind === "server" ||
    found.digests.some((each) => each.kind === kind && each.name === name && each.digest === digest);
  const other = own.find((each) => !isSame(each));
  return other && `this worker has another version of the ${other.kind} "${other.name}" than the cast`;
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
