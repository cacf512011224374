import { resolve } from "node:path";
import type { CastingCommand, Command } from "../../core/command/command.ts";
import { failWith, ok, assertNever } from "../../core/model/issue.ts";
import type { CastFacts } from "../../core/history/facts.ts";
import { markLookedAt } from "../workspace/inbox.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import type { CommandResult } from "./command-output.ts";

/** Commands that answer at once. The others run a cast, or belong to a face. */
export type ImmediateCommand = Exclude<
  Command,
  CastingCommand | { kind: "ui" | "demo" | "watch" | "worker" | "fleet" | "mcp" | "draft" }
>;

/** [YI4] Commands that show a cast to a person. */
const LOOKS: ReadonlySet<string> = new Set(["show", "diff", "take", "open"]);

/**
 * Runs a command and describes the result, for every face. File names are relative to `from`. Each command is loaded
 * when it runs: loading all of them takes longer than most of them do.
 */
export async function runCommand(command: ImmediateCommand, workspace: Workspace, from: string): CommandResult {
  const done = await performCommand(command, workspace, from);
  if (!done.ok || !LOOKS.has(command.kind)) return done;
  const castId = await findCast(workspace.store, "castId" in command ? command.castId : undefined);
  if (castId.ok) await markLookedAt(workspace, castId.value);
  return done;
}

async function performCommand(command: ImmediateCommand, workspace: Workspace, from: string): CommandResult {
  switch (command.kind) {
    case "abort":
      return (await import("./abort.ts")).runAbort(workspace, command);
    case "diff":
      return (await import("./diff.ts")).runDiff(workspace, command);
    case "take":
      return (await import("./take.ts")).runTake(workspace, command);
    case "export":
      return (await import("./export.ts")).runExport(workspace, command);
    case "restore":
      return (await import("./restore.ts")).runRestore(
        workspace,
        command.to === undefined ? command : { ...command, to: resolve(from, command.to) },
      );
    case "open":
      return (await import("./open.ts")).runOpen(workspace, command);
    case "show":
      return (await import("./show.ts")).runShow(workspace, command);
    case "doctor":
      return (await import("./doctor.ts")).runDoctor(workspace, command);
    case "casts":
      return (await import("./list-casts.ts")).runCasts(workspace);
    case "prune":
      return (await import("./prune.ts")).runPrune(workspace, command);
    case "status":
      return (await import("./status.ts")).runStatus(workspace, command);
    case "budget":
      return (await import("./budget.ts")).runBudget(workspace, command);
    case "loadout":
    case "materia":
    case "grid":
      return (await import("./catalog.ts")).runCatalogCommand(command, workspace);
    case "check":
      return (await import("./check.ts")).runCheck(
        workspace.catalog,
        command.file === undefined ? command : { ...command, file: resolve(from, command.file) },
        workspace.place.cwd,
        command.bill ? await pastFacts(workspace) : [],
      );
    case "queue":
      // [YQ8] Every face starts it by itself, with its options.
      if (command.action === "run") return failWith("command_unavailable", "queue", '"queue run" is for a terminal');
      return (await import("./queue.ts")).runQueue(workspace, command, { from });
    case "completion":
      return ok(await (await import("./completion.ts")).runCompletion(workspace, command));
    case "help":
      return ok((await import("./help.ts")).runHelp(command.topic));
    case "init":
      return (await import("./init.ts")).runInit(workspace.place, {
        typedIn: from,
        ...(command.from === undefined ? {} : { from: resolve(from, command.from) }),
      });
    default:
      return runTestingCommand(command, workspace, from);
  }
}

async function pastFacts({ store }: Workspace): Promise<readonly CastFacts[]> {
  const past = await (await import("./forecast.ts")).loadPastCasts(store);
  // Without them the bill uses typical sizes.
  return past.ok ? past.value.casts : [];
}

type TestingCommand = Extract<
  Command,
  { kind: "inbox" | "stats" | "forecast" | "compare" | "record" | "fork_plan" | "fuzz" | "replay" | "test" }
>;

/** Commands about many casts, past casts and tests. */
async function runTestingCommand(command: TestingCommand, workspace: Workspace, from: string): CommandResult {
  switch (command.kind) {
    case "inbox":
      return (await import("./inbox.ts")).runInbox(workspace, command);
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
      if (command.watch) return failWith("command_unavailable", "--watch", '"test --watch" is for a terminal');
      return (await import("./test.ts")).runTestCommand(workspace, command, { from });
    default:
      return assertNever(command);
  }
}
