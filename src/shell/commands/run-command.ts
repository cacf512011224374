import type { CastingCommand, Command, CommandOf } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { markLookedAt } from "../workspace/inbox.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import type { CommandOutput, CommandResult } from "./command-output.ts";

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
  const run = (await RUNNERS[command.kind]()) as CommandRunner<Kind>; // the one of its kind
  const done = await run(workspace, command, from);
  if (!done.ok || !LOOKS.has(command.kind)) return done;
  const castId = await findCast(workspace.store, "castId" in command ? command.castId : undefined);
  if (castId.ok) await markLookedAt(workspace, castId.value);
  return done;
}

type Kind = ImmediateCommand["kind"];
type CommandRunner<K extends Kind> = (
  workspace: Workspace,
  command: CommandOf<K>,
  from: string,
) => CommandResult | Result<CommandOutput>;

const RUNNERS: { readonly [K in Kind]: () => Promise<CommandRunner<K>> } = {
  abort: async () => (await import("./abort.ts")).runAbort,
  budget: async () => (await import("./budget.ts")).runBudget,
  casts: async () => (await import("./status.ts")).runCasts,
  check: async () => (await import("./check.ts")).runCheck,
  compare: async () => (await import("./compare.ts")).runCompare,
  completion: async () => (await import("./completion.ts")).runCompletion,
  diff: async () => (await import("./diff.ts")).runDiff,
  doctor: async () => (await import("./doctor.ts")).runDoctor,
  export: async () => (await import("./export.ts")).runExport,
  forecast: async () => (await import("./forecast.ts")).runForecast,
  fork_plan: async () => (await import("./fork.ts")).runForkPlan,
  fuzz: async () => (await import("./fuzz.ts")).runFuzz,
  grid: async () => (await import("./catalog.ts")).runCatalogCommand,
  help: async () => {
    const { runHelp } = await import("./help.ts");
    return (_workspace, { topic }) => ok(runHelp(topic));
  },
  inbox: async () => (await import("./inbox.ts")).runInbox,
  init: async () => (await import("./init.ts")).runInit,
  loadout: async () => (await import("./catalog.ts")).runCatalogCommand,
  materia: async () => (await import("./catalog.ts")).runCatalogCommand,
  open: async () => (await import("./open.ts")).runOpen,
  prune: async () => (await import("./prune.ts")).runPrune,
  queue: async () => {
    const { runQueue } = await import("./queue.ts");
    return (workspace, command, from) =>
      // [YQ8] Every face starts it by itself, with its options.
      command.action === "run"
        ? failWith("command_unavailable", "queue", '"queue run" is for a terminal')
        : runQueue(workspace, command, { from });
  },
  record: async () => (await import("./record-test.ts")).runRecord,
  replay: async () => (await import("./replay.ts")).runReplay,
  restore: async () => (await import("./restore.ts")).runRestore,
  show: async () => (await import("./show.ts")).runShow,
  stats: async () => (await import("./forecast.ts")).runStats,
  status: async () => (await import("./status.ts")).runStatus,
  take: async () => (await import("./take.ts")).runTake,
  test: async () => {
    const { runTestCommand } = await import("./test.ts");
    return (workspace, command, from) =>
      // A watch could not be ended here.
      command.watch
        ? failWith("command_unavailable", "--watch", '"test --watch" is for a terminal')
        : runTestCommand(workspace, command, { from });
  },
};
