import { resolve } from "node:path";
import type { CastingCommand, Command } from "../../core/command/command.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { assertNever } from "../../core/model/values/never.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import { runAbort } from "./abort.ts";
import type { CommandOutput } from "./answer/answer.ts";
import { runCastsCommand } from "./casts.ts";
import { runCatalogCommand } from "./catalog.ts";
import { runCheck } from "./check.ts";
import { runDiff } from "./files/diff.ts";
import { runRestore } from "./files/restore.ts";
import { runDoctor } from "./doctor/doctor.ts";
import { runCompletion } from "./completion/completion.ts";
import { runHelp } from "./help.ts";
import { runInit } from "./init.ts";

/** Commands that are answered at once. The others run a cast, or belong to a face. */
export type ImmediateCommand = Exclude<Command, CastingCommand | { kind: "ui" | "demo" | "watch" | "worker" | "fleet" }>;

/** The same meaning at every face: what is done here, and what is said about it. `from` is what file names are relative to. */
export async function runCommand(command: ImmediateCommand, workspace: Workspace, from: string): Promise<Result<CommandOutput>> {
  switch (command.kind) {
    case "abort":
      return runAbort(workspace, command);
    case "diff":
      return runDiff(workspace, command);
    case "take":
      return (await import("./fleet/take.ts")).runTake(workspace, command);
    case "restore":
      return runRestore(workspace, command.to === undefined ? command : { ...command, to: resolve(from, command.to) });
    case "open":
      return (await import("./open/open.ts")).runOpen(workspace, command);
    case "show":
      return (await import("./show/show.ts")).runShow(workspace, command);
    case "doctor":
      return runDoctor(workspace, command);
    case "stats":
      return (await import("./testing/history.ts")).runStats(workspace);
    case "forecast":
      return (await import("./testing/history.ts")).runForecast(workspace, command);
    case "compare":
      return (await import("./testing/compare.ts")).runCompare(workspace, command);
    case "record":
      return (await import("./testing/record.ts")).runRecord(workspace, command, from);
    case "fork_plan":
      return (await import("./testing/fork.ts")).runForkPlan(workspace, { ...command, kind: "fork" });
    case "fuzz":
      return (await import("./testing/fuzz.ts")).runFuzz(workspace, command, from);
    case "replay":
      return (await import("./testing/replay.ts")).runReplay(workspace, command);
    case "test":
      // Here nobody could end it.
      if (command.watch) return fail(error("not_here", "--watch", '"test --watch" is for a terminal'));
      return (await import("./testing/test.ts")).runTestCommand(workspace, command, { from });
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
