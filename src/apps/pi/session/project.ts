import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Options } from "../../../core/command/options.ts";
import { failWith, error, fail, ok, type Issue, type Result, hasForeignCastIssue } from "../../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../../core/model/text.ts";
import { userOpenedDialogs } from "./dialogs.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { isVirtualModel, loadPi } from "../../../shell/agents/pi-sdk.ts";
import { SESSION_MODEL_VARIABLE } from "../../../shell/workspace/agent-hosts.ts";
import { runUnlessReplaced } from "./user-session.ts";
import { loadWorkspace, describeProgramsToTrust, type Workspace } from "../../../shell/workspace/workspace.ts";
import { activeBill } from "../../../shell/commands/forecast.ts";
import { billLines } from "../../../core/view/graph/bill.ts";
import { plainText } from "../../../core/view/line.ts";
import { folderExists } from "../../../shell/system/folders.ts";
import { projectConfigFile, findProject } from "../../../shell/config/config.ts";

export const COMMAND_PREFIX = "/materia";

export interface SessionProject {
  readonly workspace: Workspace;
  /** File names in the command are relative to this folder. */
  readonly from: string;
  /** Set if Pi does not trust the project's configuration. */
  readonly left?: Issue;
}

/** [X24] The project as Pi allows it: its own configuration only if Pi trusts it. */
export function resolveProject(ctx: ExtensionContext, options: Options): Result<SessionProject> {
  const cwd = resolve(ctx.cwd, options.cwd ?? ".");
  if (!folderExists(cwd)) return failWith("missing_folder", "--cwd", `there is no folder ${cwd}`);
  // Pi's trust is about its own folder; for any other folder it says nothing.
  const refused = cwd === ctx.cwd && !ctx.isProjectTrusted();
  const place = findProject({
    cwd,
    env: { ...process.env, ...withoutUndefined({ [SESSION_MODEL_VARIABLE]: sessionModel(ctx) }) },
    withoutProject: refused,
    program: COMMAND_PREFIX,
    ...(options.config === undefined ? {} : { explicitFile: resolve(ctx.cwd, options.config) }),
  });
  const { artifacts } = options;
  const workspace = loadWorkspace(place, artifacts === undefined ? undefined : resolve(ctx.cwd, artifacts));
  if (!workspace.ok) return workspace;
  const file = projectConfigFile(place.cwd);
  const left = refused && existsSync(file) ? { left: untrustedIssue(file) } : {};
  return ok({ workspace: workspace.value, from: ctx.cwd, ...left });
}

/** The model of this session for another process. [Z18] Only this session has the router of a virtual model. */
export function sessionModel(ctx: ExtensionContext): string | undefined {
  const chosen = runUnlessReplaced(() => ctx.model);
  return chosen && !isVirtualModel(chosen) ? `${chosen.provider}/${chosen.id}` : undefined;
}

function untrustedIssue(file: string): Issue {
  const message = "Pi does not trust this project, so its configuration is not read";
  const hint = "trust it with /trust and start Pi again, start Pi with --approve, or name a file with --config";
  return { ...error("untrusted_project", "", message, hint), file };
}

export interface TrustedProject {
  readonly workspace: Workspace;
  readonly remember: () => void;
  /** [X52] Remembers Pi's trust for a separate process, for the present configuration. */
  readonly vouch?: () => void;
}

/** [X25] Pi's trust counts. If Pi had nothing to ask about, it trusts every project, so ask the person about the configuration, as on the command line. */
export async function trustProject(
  ctx: ExtensionContext,
  { workspace, left }: SessionProject,
  options: Options,
): Promise<Result<TrustedProject>> {
  if (left && options.config === undefined) return fail(left);
  const { trust, place } = workspace;
  const asBefore = { workspace, remember: () => undefined };
  if (trust.kind === "given") return ok(asBefore);
  const given = { ...workspace, trust: { kind: "given" as const } };
  if (await isTrustedInPi(ctx, place.cwd)) return ok({ ...asBefore, workspace: given, vouch: trust.remember });
  if (options.trust) return ok({ workspace: given, remember: trust.remember });
  if (!ctx.hasUI) return ok(asBefore);
  const commands =
    trust.commands.length === 0 ? "" : ` Its utilities run:\n${trust.commands.map(sanitizeForTerminal).join("\n")}`;
  const runs = [commands, ...describeProgramsToTrust({ ...trust, commands: [] }).map(sanitizeForTerminal)].join("\n");
  const bill = await activeBill(workspace, options);
  const billed = bill ? `\n${plainText(billLines(bill))}` : "";
  const yes = await userOpenedDialogs(ctx).confirm(
    "Trust this project's materia?",
    `${sanitizeForTerminal(trust.file)} is new or has changed, and decides what agents do here.${runs}${billed}`,
  );
  return ok(yes ? { workspace: given, remember: trust.remember } : asBefore);
}

async function isTrustedInPi(ctx: ExtensionContext, cwd: string): Promise<boolean> {
  const pi = await loadPi();
  if (new pi.ProjectTrustStore(pi.getAgentDir()).get(cwd) === true) return true;
  if (cwd !== ctx.cwd) return false;
  return ["--approve", "-a"].some((word) => process.argv.includes(word)) || pi.hasTrustRequiringProjectResources(cwd);
}

/** [S15] Whether the person trusts the named cast, after seeing everything it would run. Without a person the answer is no. */
export async function askToTrustCast(ctx: ExtensionContext, issues: readonly Issue[]): Promise<boolean> {
  if (!ctx.hasUI || !hasForeignCastIssue(issues)) return false;
  const problems = issues.map(({ message }) => sanitizeForTerminal(message)).join("\n");
  return userOpenedDialogs(ctx).confirm("Trust exactly this cast?", `${problems}.`);
}
