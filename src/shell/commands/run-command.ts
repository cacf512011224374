import { resolve } from "node:path";
import type { CastingCommand, Command } from "../../core/command/command.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { assertNever } from "../../core/model/assert-never.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { runAbort, runCastsCommand } from "./casts.ts";
import type { CommandOutput } from "./command-output.ts";
import { runCatalogCommand } from "./catalog.ts";
import { runCheck } from "./check.ts";
import { runDiff } from "./diff.ts";
import { runRestore } from "./restore.ts";
import { runDoctor } from "./doctor.ts";
import { runCompletion } from "./completion.ts";
import { runHelp } from "./help.ts";
import { runInit } from "./init.ts";

/** Commands that answer at once. The others run a cast, or belong to a face. */
export type ImmediateCommand = Exclude<
  Command,
  CastingCommand | { kind: "ui" | "demo" | "watch" | "worker" | "fleet" }
>;

/** Runs a command and describes the result, for every face. File names are relative to `from`. */
export async function runCommand(
  command: ImmediateCommand,
  workspace: Workspace,
  from: string,
): Promise<Result<CommandOutput>> {
  switch (command.kind) {
    case "abort":
      return runAbort(workspace, command);
    case "diff":
      return runDiff(workspace, command);
    case "take":
      return (await import("./take.ts")).runTake(workspace, command);
    case "restore":
      return runRestore(workspace, command.to === undefined ? command : { ...command, to: resolve(from, command.to) });
    case "open":
      return (await import("./open.ts")).runOpen(workspace, command);
    case "show":
      return (await import("./show.ts")).runShow(workspace, command);
    case "doctor":
      return runDoctor(workspace, command);
    case "stats":
      return (await import("./forecast.ts")).runStats(workspace);
    case "forecast":
      return (await import("./forecast.ts")).runForecast(workspace, command);
    case "compare":
      return (await import("./compare.ts")).runCompare(workspace, command);
    case "record":
      return (await import("./record-test.ts")).runRecord(workspace, command, from);
    case "fork_plan":
      return (await import("./fork.ts")).runForkPlan(workspace, { ...command, kind: "fork" });
    case "fuzz":
      return (await import("./fuzz.ts")).runFuzz(workspace, command, from);
    case "replay":
      return (await import("./replay.ts")).runReplay(workspace, command);
    case "test":
      // A watch could not be ended here.
      if (command.watch) return fail(error("command_unavailable", "--watch", '"test --watch" is for a terminal'));
      return (await import("./test.ts")).runTestCommand(workspace, command, { from });
    case "casts":
    case "prune":
    case "status":
    case "budget":
      return runCastsCommand(command, workspace);
    case "loadout":
    case "materia":
    case "grid":
      return runCatalogCommand(command, workspace);
    case "check":
      return ok(
        runCheck(
          workspace.catalog,
          command.file === undefined ? command : { ...command, file: resolve(from, command.file) },
        ),
      );
    case "completion":
      return ok(await runCompletion(workspace, command));
    case "help":
      return ok(runHelp(command.topic));
    case "init":
      return runInit(workspace.place, command.from === undefined ? undefined : resolve(from, command.from));
    default:
      return assertNever(command);
  }
}
