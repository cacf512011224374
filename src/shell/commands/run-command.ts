import { resolve } from "node:path";
import type { CastingCommand, Command } from "../../core/command/command.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/values/never.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import { abort } from "./abort.ts";
import type { Answer } from "./answer/answer.ts";
import { lookAtCasts } from "./casts.ts";
import { lookAtCatalog } from "./catalog.ts";
import { check } from "./check.ts";
import { diff } from "./files/diff.ts";
import { restore } from "./files/restore.ts";
import { doctor } from "./doctor/doctor.ts";
import { completion } from "./completion/completion.ts";
import { help } from "./help.ts";
import { init } from "./init.ts";

/** Commands that are answered at once. The others run a cast, or belong to a face. */
export type AnsweredCommand = Exclude<Command, CastingCommand | { kind: "ui" | "demo" | "watch" | "worker" | "fleet" }>;

/** The same meaning at every face: what is done here, and what is said about it. `from` is what file names are relative to. */
export async function answer(command: AnsweredCommand, workspace: Workspace, from: string): Promise<Result<Answer>> {
  switch (command.kind) {
    case "abort":
      return abort(workspace, command);
    case "diff":
      return diff(workspace, command);
    case "take":
      return (await import("./fleet/take.ts")).take(workspace, command);
    case "restore":
      return restore(workspace, command.to === undefined ? command : { ...command, to: resolve(from, command.to) });
    case "open":
      return (await import("./open/open.ts")).open(workspace, command);
    case "show":
      return (await import("./show/show.ts")).show(workspace, command);
    case "doctor":
      return doctor(workspace, command);
    case "stats":
      return (await import("./testing/history.ts")).stats(workspace);
    case "forecast":
      return (await import("./testing/history.ts")).forecast(workspace, command);
    case "compare":
      return (await import("./testing/compare.ts")).compare(workspace, command);
    case "record":
      return (await import("./testing/record.ts")).record(workspace, command, from);
    case "fork_plan":
      return (await import("./testing/fork.ts")).tellFork(workspace, { ...command, kind: "fork" });
    case "fuzz":
      return (await import("./testing/fuzz.ts")).fuzz(workspace, command, from);
    case "replay":
      return (await import("./testing/replay.ts")).replay(workspace, command);
    case "test":
      // Here nobody could end it.
      if (command.watch) return fail(error("not_here", "--watch", '"test --watch" is for a terminal'));
      return (await import("./testing/test.ts")).testLoadouts(workspace, command, { from });
    case "casts":
    case "prune":
    case "status":
    case "budget":
      return lookAtCasts(command, workspace);
    case "loadout":
    case "materia":
    case "grid":
      return lookAtCatalog(command, workspace);
    case "check":
      return ok(
        check(
          workspace.catalog,
          command.file === undefined ? command : { ...command, file: resolve(from, command.file) },
        ),
      );
    case "completion":
      return ok(await completion(workspace, command));
    case "help":
      return ok(help(command.topic));
    case "init":
      return init(workspace.place, command.from === undefined ? undefined : resolve(from, command.from));
    default:
      return never(command);
  }
}
