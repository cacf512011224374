import type { AgentSession, ExtensionFactory, ResourceLoader } from "@earendil-works/pi-coding-agent";
import type { TurnRequest, AgentHost, AgentRequirement, EquipmentDigest, PreflightPlace } from "../ports.ts";
import { resolveEquipment } from "./equipment.ts";
import { extensionName, LOAD_MS, loadExtensionFiles } from "./extension-files.ts";
import { isToolOfServer, requestedTools, scriptServerTools, startServers, type ScriptedTools } from "./mcp-servers.ts";
import { bindDialogs } from "./extension-dialogs.ts";
import { bareResources, type Pi, type PiContext, type SessionHooks, type SessionTurn, loadPi } from "./pi-sdk.ts";
import { isDoneWithin, type Timer } from "./turn-guard.ts";
import { tmpdir } from "node:os";
import { HAND_OVER } from "../../core/model/handoff.ts";
import { error, isError, issuesText, type Issue } from "../../core/model/issue.ts";
import { KNOWN_TOOLS } from "../../core/model/materia.ts";
import { thrownMessage } from "../../core/model/text.ts";
import { currentToolsUser } from "../process/tools-user.ts";
import { checkToolsCanRun } from "./tool-process.ts";
import { missingPiIssue, toolIssues } from "./pi-models.ts";

export interface EquippedSetup {
  readonly pi: Pi;
  readonly hooks?: SessionHooks;
  readonly after: Timer;
  /** [YP13] Set in a rehearsal, which starts no server. */
  readonly scripted?: ScriptedTools;
}

/** [YP2, YP6, YP11] The skills, extensions and servers that the materia names; a face may add its own extensions. */
export async function equippedResources(
  { pi, hooks, after, scripted }: EquippedSetup,
  bare: ResourceLoader,
  request: TurnRequest,
): Promise<ResourceLoader> {
  const { mcp = [], cwd, sandbox, packed } = request;
  const found = await resolveEquipment(pi, scripted ? { ...request, mcp: [] } : request, request);
  const [issue] = found.issues;
  if (issue) throw new Error(issue.message);
  // [YP18] No earlier check saw the files: they have come with the cast.
  const [user, reads] = [currentToolsUser(), found.skills.map(({ filePath }) => filePath)];
  const unread = packed && (user ?? sandbox) && (await checkToolsCanRun({ user, sandbox, reads }, cwd));
  if (unread) throw new Error(`the agent cannot read the skills that came with the cast: ${unread}`);
  const problems: { path: string; error: string }[] = [];
  const report = (error: string): void => void problems.push({ path: "mcp", error });
  const factories: ExtensionFactory[] = [];
  if (scripted && mcp.length > 0) factories.push(scriptServerTools(scripted, mcp));
  if (found.servers.length > 0) factories.push(startServers(pi, found.servers, { request, report, after }));
  const extensions = { files: found.extensionFiles, factories };
  if (!hooks && extensions.files.length > 0) printToStandardError();
  const isBare = extensions.files.length + factories.length === 0;
  const loaded = isBare ? bare.getExtensions() : await loadExtensionFiles(pi, { cwd, ...extensions }, after);
  const own: ResourceLoader = {
    ...bare,
    getSkills: () => ({ skills: [...found.skills], diagnostics: [] }),
    getExtensions: () => loaded,
  };
  const shown = (await hooks?.resources?.(own, request, extensions)) ?? own;
  return { ...shown, getExtensions: () => ({ ...shown.getExtensions(), errors: problems }) };
}

/** [YP16] What an extension prints would break the output of a command. Inside Pi, Pi sees to it. */
function printToStandardError(): void {
  const { error } = console;
  Object.assign(console, { log: error, info: error, debug: error });
  Object.assign(process.stdout, { write: process.stderr.write.bind(process.stderr) });
}

/** [YP1, YP12] Extensions may register tools only now. The result says why nothing may be asked, if so. */
export async function bindSession(
  { hooks, after }: Pick<EquippedSetup, "hooks" | "after">,
  session: AgentSession,
  turn: SessionTurn,
): Promise<string | undefined> {
  const { extensions = [], mcp = [], tools } = turn.request;
  const problems: string[] = [];
  session.extensionRunner.onError(({ extensionPath, event, error }) => {
    const name = extensions.find((each) => extensionPath.includes(each));
    if (event === "session_start" && name !== undefined)
      problems.push(`the extension ${name} failed at the start of the session: ${error}`);
  });
  // Servers have that time for themselves.
  const allowedMs = mcp.length > 0 ? 2 * LOAD_MS : LOAD_MS;
  const own = () => bindDialogs(session, turn, after);
  const bind = hooks?.opened ?? (extensions.length + mcp.length > 0 ? own : async () => undefined);
  if (!(await isDoneWithin(allowedMs, bind(session, turn), after)))
    problems.push(`the extension ${extensions.join(", ")} did not start within ${allowedMs / 1000} s`);
  const taker = session.extensionRunner.getAllRegisteredTools().find(({ definition }) => definition.name === HAND_OVER);
  if (taker)
    problems.push(
      `the extension ${extensionName(taker.sourceInfo.path)} has a tool named ${HAND_OVER}, which casts use`,
    );
  const [problem] = [...session.resourceLoader.getExtensions().errors.map(({ error }) => error), ...problems];
  if (problem !== undefined) return problem;
  const offered = session.getActiveToolNames();
  const absent = tools.filter((tool) => !tool.endsWith("*") && !offered.includes(tool)).map((tool) => `"${tool}"`);
  if (absent.length === 0) return undefined;
  return `the agent's session does not offer ${absent.join(", ")}, so that no model was asked`;
}

const SHUTDOWN_MS = 5_000;

/** [YP12] Extensions and servers end with their session; one that never ends is left behind. */
export async function endSession(session: AgentSession, after: Timer): Promise<void> {
  const { extensionRunner: runner } = session;
  if (runner.hasHandlers("session_shutdown")) {
    const ended = runner.emit({ type: "session_shutdown", reason: "quit" });
    await isDoneWithin(SHUTDOWN_MS, ended, after).catch(() => undefined);
  }
  session.dispose();
}

/** [YP1] The tools that a session for this request would offer. It asks no model. */
async function probeTools(setup: PiContext & EquippedSetup, request: TurnRequest): Promise<readonly string[]> {
  const resources = await equippedResources(setup, bareResources(setup.pi, ""), request);
  const { session } = await setup.pi.createAgentSession({
    cwd: request.cwd,
    modelRuntime: setup.runtime,
    settingsManager: setup.settings,
    // All tools of its servers: a name that is misspelt gets the nearest one.
    tools: [...request.tools, ...requestedTools({ ...request, tools: [] }, setup.scripted)],
    resourceLoader: resources,
    sessionManager: setup.pi.SessionManager.inMemory(request.cwd),
  });
  try {
    // What is absent is reported with the nearest name.
    const turn = {
      request: { ...request, tools: [] },
      suspendTimeout: () => () => undefined,
      over: AbortSignal.abort(),
    };
    const problem = await bindSession(setup, session, turn);
    if (problem !== undefined) throw new Error(problem);
    return session.getActiveToolNames();
  } finally {
    await endSession(session, setup.after);
  }
}

export function createPreflight<T extends PiContext>(
  open: () => Promise<T>,
  setup: Omit<EquippedSetup, "pi">,
  modelsOf?: (pi: T, needs: readonly AgentRequirement[]) => Promise<readonly Issue[]>,
): Required<Pick<AgentHost, "preflight" | "equipment">> {
  let digests: readonly EquipmentDigest[] = [];
  return {
    preflight: async (needs, place) => {
      if (needs.length === 0) return [];
      try {
        const pi = await open();
        const models = (await modelsOf?.(pi, needs)) ?? [];
        const checked = await checkEquipment({ ...pi, ...setup }, needs, place);
        ({ digests } = checked);
        return [...checked.issues, ...models];
      } catch (cause) {
        return [...toolIssues(needs), missingPiIssue(cause)];
      }
    },
    equipment: () => digests,
  };
}

/** [YP1] Opens a session for each agent that names more than Pi's own tools, and compares. No model is asked. */
async function checkEquipment(
  setup: PiContext & EquippedSetup,
  needs: readonly AgentRequirement[],
  place: PreflightPlace = { cwd: process.cwd() },
) {
  const issues: Issue[] = [];
  const digests = new Map<string, EquipmentDigest>();
  const offered = new Map<string, string>();
  const absent: AgentRequirement[] = [];
  for (const need of Map.groupBy(needs.filter(namesEquipment), ({ materia }) => materia).values()) {
    const [first] = need;
    if (!first) continue;
    const found = await resolveEquipment(setup.pi, setup.scripted ? { ...first, mcp: [] } : first, place);
    issues.push(...found.issues);
    found.digests.forEach((each) => digests.set(`${each.kind} ${each.name}`, each));
    // [YP3] A sandbox may hide the files of a skill from its agent.
    const [{ sandbox }, reads] = [first, found.skills.map(({ filePath }) => filePath)];
    const hidden = sandbox?.command && reads.length > 0 && (await checkToolsCanRun({ sandbox, reads }, place.cwd));
    const unread = `${first.materia} cannot read its skills in the sandbox "${sandbox?.name}": ${hidden}`;
    const path = ["materia", first.materia, "skills"];
    if (hidden) issues.push(error("unusable_equipment", path, unread, "show them there, read-only"));
    if (found.issues.some(isError)) continue;
    try {
      const { model: _model, ...wanted } = first;
      const own = await probeTools(setup, { ...wanted, ...place } as unknown as TurnRequest);
      own.forEach((tool) => offered.set(tool, first.materia));
      absent.push(...need.map((each) => ({ ...each, tools: each.tools.filter((tool) => !own.includes(tool)) })));
    } catch (thrown) {
      const hint = `fix it, or take it out of ${first.materia}`;
      issues.push(error("unusable_equipment", ["materia", first.materia], thrownMessage(thrown), hint));
    }
  }
  return { issues: [...toolIssues(absent, offered), ...issues], digests: [...digests.values()] };
}

function namesEquipment({ tools, skills, extensions, mcp }: AgentRequirement): boolean {
  return !tools.every((tool) => KNOWN_TOOLS.includes(tool)) || (skills ?? extensions ?? mcp) !== undefined;
}

/** [YP17] What is unknown on this machine, found without running anything of it. Only a session shows the tools of extensions. */
export async function findUnknownEquipment(needs: readonly AgentRequirement[], place: PreflightPlace) {
  const named = [...new Map(needs.filter(namesEquipment).map((need) => [need.materia, need])).values()];
  const found = await resolveAll(named, place);
  if (!found) return [];
  const unbrought = named
    .filter(({ extensions }) => extensions === undefined)
    .map((need) => ({
      ...need,
      tools: need.tools.filter((tool) => !need.mcp?.some((name) => isToolOfServer(name, tool))),
    }));
  return [...toolIssues(unbrought), ...found.flatMap(({ issues }) => issues)];
}

/** [YP7] The same parts where no agent will run: what workers must have. What is missing here may exist there. */
export async function listEquipment(needs: readonly AgentRequirement[], place: PreflightPlace) {
  const named = needs.filter(({ skills, extensions, mcp }) => skills ?? extensions ?? mcp);
  const digests = (await resolveAll(named, place).catch(() => undefined))?.flatMap((each) => each.digests) ?? [];
  return [...new Map(digests.map((each) => [`${each.kind} ${each.name}`, each])).values()];
}

/** Undefined where Pi is missing, or nothing is asked of it. */
async function resolveAll(needs: readonly AgentRequirement[], place: PreflightPlace) {
  const pi = needs.length === 0 ? undefined : await loadPi().catch(() => undefined);
  return pi && Promise.all(needs.map((need) => resolveEquipment(pi, need, place)));
}

/** [YP7] Why the parts of this machine are not those of the cast, if so. A server may have other paths here. */
export async function compareEquipment(wanted: readonly EquipmentDigest[]): Promise<string | undefined> {
  const own = wanted.filter(({ ofProject }) => ofProject !== true);
  const { issues, changed } = await findChangedEquipment(own, { cwd: tmpdir(), withoutProject: true });
  if (issues.length > 0) return issuesText(issues);
  const other = changed.find(({ kind }) => kind !== "server");
  return other && `this worker has another version of the ${other.kind} "${other.name}" than the cast`;
}

/** [YP4] What of the parts of a cast is missing here, and what has another digest. */
export async function findChangedEquipment(wanted: readonly EquipmentDigest[], place: PreflightPlace) {
  if (wanted.length === 0) return { issues: [], changed: [] };
  const namesOf = (kind: EquipmentDigest["kind"]) =>
    wanted.filter((each) => each.kind === kind).map(({ name }) => name);
  const parts = { skills: namesOf("skill"), extensions: namesOf("extension"), mcp: namesOf("server") };
  const need = { ...parts, materia: "the cast", tools: ["read"] };
  const { issues, digests } = await resolveEquipment(await loadPi(), need, place);
  const isOther = ({ kind, name, digest }: EquipmentDigest): boolean =>
    digests.some((each) => each.kind === kind && each.name === name && each.digest !== digest);
  return { issues, changed: wanted.filter(isOther) };
}
