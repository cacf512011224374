import { resolve } from "node:path";
import { isCastingCommand, type Command } from "../../core/command/command.ts";
import type { ParsedCommand } from "../../core/command/command-input.ts";
import type { Options } from "../../core/command/options.ts";
import { parseArgv } from "../../core/command/parse.ts";
import { error, type Issue, type Result, failWith, ok } from "../../core/model/issue.ts";
import { folderExists } from "../../shell/system/folders.ts";
import { findProject } from "../../shell/config/config.ts";
import { loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";
import { VERSION } from "../../shell/system/package.ts";
import { issueJson, withFleetOption } from "../../core/view/issues.ts";
import type { OpenUi } from "../../shell/commands/open-ui.ts";
import { type Io, type CliContext, jsonText, printAnswer, printIssues, printText } from "./terminal/io.ts";
import { hasErrorCode } from "../../shell/system/files.ts";

const EXIT_REFUSED = 2;

/** Words → command → exit code. Load only what a command needs: help must not wait for an agent's library. */
export async function main(argv: readonly string[], io: Io, openUi: OpenUi): Promise<number> {
  const [delimiter] = [...argv, "--"].flatMap((word, index) => (word === "--" ? [index] : []));
  // Without colour there are no escape sequences, so nothing can be redrawn either.
  const plain = argv.slice(0, delimiter).includes("--no-color") ? { ...io, color: false, live: false } : io;
  const json = argv.slice(0, delimiter).includes("--json");
  if (argv[0] === "--version" || argv[0] === "-v") {
    plain.out(json ? `${jsonText({ version: VERSION })}\n` : `${VERSION}\n`);
    return 0;
  }
  // `materia -h` and `materia cast -h`; in a longer prompt `-h` is an ordinary word.
  const asksForHelp = argv.length <= 2 && argv.at(-1) === "-h";
  const parsed = parseArgv(asksForHelp ? [...argv.slice(0, -1), "--help"] : argv);
  if (!parsed.ok) return printRefusal(plain, parsed.issues, json);
  const done = await runParsedCommand(parsed.value, plain, openUi);
  if (done.ok) return done.value;
  const { on } = parsed.value.options;
  return printRefusal(plain, on === undefined ? done.issues : withFleetOption(done.issues, on), json);
}

/** [C30] Refusals go to standard error for people, to standard output for programs. */
function printRefusal(io: Io, issues: readonly Issue[], json: boolean): number {
  if (json) io.out(`${jsonText({ issues: issues.map(issueJson) })}\n`);
  printIssues(io, issues);
  return EXIT_REFUSED;
}

async function runParsedCommand({ command, options }: ParsedCommand, io: Io, openUi: OpenUi): Promise<Result<number>> {
  if (command.kind === "help") {
    const { runHelp: help } = await import("../../shell/commands/help.ts");
    return { ok: true, value: printAnswer(io, options, help(command.topic)) };
  }
  const cwd = resolve(io.cwd, options.cwd ?? ".");
  if (!folderExists(cwd)) return { ok: false, issues: [error("missing_folder", "--cwd", `there is no folder ${cwd}`)] };
  const place = findProject({
    cwd,
    env: io.env,
    program: io.program,
    ...(options.config === undefined ? {} : { explicitFile: resolve(io.cwd, options.config) }),
  });
  if (command.kind === "demo") return (await import("./demo.ts")).runDemo(io, command.which, options);
  const artifacts = options.artifacts === undefined ? undefined : resolve(io.cwd, options.artifacts);
  if (command.kind === "ui")
    return (await import("./ui.ts")).runUiCommand(command, { io, options, place, artifacts, openUi });
  const workspace = loadWorkspace(place, artifacts);
  if (!workspace.ok) return workspace;
  const elsewhere = await findElsewhere(workspace.value, command, options);
  if (elsewhere) {
    if (!options.quiet) printText(io, `note: this cast is of ${elsewhere.cwd ?? ""}`);
    return runParsedCommand({ command, options: elsewhere }, io, openUi);
  }
  const request = { options, io, workspace: workspace.value };
  if (command.kind === "mcp") return runMcpCommand(request, () => loadWorkspace(place, artifacts));
  if (command.kind === "worker") return (await import("./worker.ts")).runWorkerCommand(command, request);
  if (command.kind === "fleet") return (await import("./fleet.ts")).runFleetCommand(command, request);
  if (options.on === undefined) return runInWorkspace(request, command);
  const { openFleetWorkspace: workspaceOn } = await import("../../shell/fleet/fleet-workspace.ts");
  const fleet = await workspaceOn(workspace.value, options.on, options);
  if (!fleet.ok) return fleet;
  try {
    return await runInWorkspace({ ...request, workspace: fleet.value.workspace }, command);
  } finally {
    // Close it: an open connection would keep the process alive.
    await fleet.value.close();
  }
}

/** [YI5] Loaded only for commands that may name a cast. */
async function findElsewhere(workspace: Workspace, command: Command, options: Options): Promise<Options | undefined> {
  if (command.kind !== "continue" && !("castId" in command)) return undefined;
  return (await import("../../shell/workspace/inbox.ts")).optionsForOtherProject(workspace, command, options);
}

type WorkspaceCommand = Exclude<Command, { kind: "help" | "demo" | "ui" | "worker" | "fleet" | "mcp" }>;

/** Opens the local casts, or those of a fleet. */
async function runInWorkspace(request: CliContext, command: WorkspaceCommand): Promise<Result<number>> {
  const { io, options, workspace } = request;
  if (isCastingCommand(command)) return (await import("./casting.ts")).runCastingCommand(command, request);
  if (command.kind === "draft") return (await import("./draft.ts")).runDraftCommand(command, request);
  if (command.kind === "watch") return (await import("./casting.ts")).runWatchCommand(command, request);
  if (command.kind === "queue") return (await import("./queue.ts")).runQueueCommand(command, request);
  if (command.kind === "test") return (await import("./test.ts")).runOrWatchTests(command, request);
  const { runCommand: answer } = await import("../../shell/commands/run-command.ts");
  const answered = await answer(command, workspace, io.cwd);
  return answered.ok ? { ok: true, value: printAnswer(io, options, answered.value) } : answered;
}

/** [MC1] Serves the project to clients of the Model Context Protocol until they close standard input. */
async function runMcpCommand(
  { io, options, workspace }: CliContext,
  open: () => Result<Workspace>,
): Promise<Result<number>> {
  const { budget, cost, rehearse, ...others } = options;
  const configured = workspace.catalog.settings.budget;
  const limits = {
    options: { ...others, ...(rehearse === undefined ? {} : { rehearse: resolve(io.cwd, rehearse) }) },
    maxTokens: budget ?? configured.maxTokens,
    maxCostUsd: cost ?? configured.maxCostUsd,
  };
  // An install from git without development packages lacks the library of the protocol.
  const server = await import("./mcp/serve.ts").catch((thrown: unknown) => {
    if (!hasErrorCode(thrown, "ERR_MODULE_NOT_FOUND")) throw thrown;
    return undefined;
  });
  if (!server) {
    const hint = "install the published package, or run npm ci in this checkout";
    return failWith("missing_package", "mcp", "the library of the Model Context Protocol is not installed", hint);
  }
  const isRegular = await server.serveMcp({ open, limits }, (text) => printText(io, `mcp: ${text}`));
  return ok(isRegular ? 0 : 1);
}
