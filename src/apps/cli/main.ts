import { resolve } from "node:path";
import { parseArgv } from "../../core/command/parse.ts";
import type { Parsed } from "../../core/command/parse.ts";
import { never } from "../../core/model/never.ts";
import { error } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { folderExists } from "../../shell/files/cast-store.ts";
import type { ConfigPlace } from "../../shell/files/config.ts";
import { openWorkspace } from "../../shell/casting/workspace.ts";
import type { Workspace } from "../../shell/casting/workspace.ts";
import { VERSION } from "../../shell/version.ts";
import { helpText } from "./help.ts";
import type { Io } from "./io.ts";
import { printIssues } from "./issues.ts";

/** A refused command: nothing was written. */
export const REFUSED = 2;

/** Words → what they ask for → an exit code. Only what a command needs is loaded: help must not wait for an agent's library. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const plain = argv.includes("--no-color") ? { ...io, color: false } : io;
  if (argv[0] === "--version" || argv[0] === "-v") {
    plain.out(`${VERSION}\n`);
    return 0;
  }
  const parsed = parseArgv(argv[0] === "-h" ? ["--help"] : argv);
  if (!parsed.ok) return refuse(plain, parsed.issues);
  const done = await perform(parsed.value, plain);
  return done.ok ? done.value : refuse(plain, done.issues);
}

function refuse(io: Io, issues: readonly Issue[]): number {
  printIssues(io, issues);
  return REFUSED;
}

/** A command with everything around it that the faces share. */
export interface Request extends Parsed {
  readonly io: Io;
  readonly workspace: Workspace;
}

async function perform({ command, options }: Parsed, io: Io): Promise<Result<number>> {
  if (command.kind === "help") {
    io.out(helpText(io, command.topic));
    return { ok: true, value: 0 };
  }
  const cwd = resolve(io.cwd, options.cwd ?? ".");
  if (!folderExists(cwd)) return { ok: false, issues: [error("no_folder", "--cwd", `there is no folder ${cwd}`)] };
  const place: ConfigPlace = { cwd, env: io.env, ...(options.config === undefined ? {} : { explicit: resolve(io.cwd, options.config) }) };
  if (command.kind === "init") return (await import("./init.ts")).init(io, place);
  if (command.kind === "demo") return (await import("./demo.ts")).demo(io, options);
  const workspace = openWorkspace(place, options.artifacts === undefined ? undefined : resolve(io.cwd, options.artifacts));
  if (!workspace.ok) return workspace;
  const request = { command, options, io, workspace: workspace.value };
  switch (command.kind) {
    case "cast":
    case "link":
    case "continue":
    case "recast":
    case "abort":
      return (await import("./casting.ts")).runCasting({ ...request, command });
    case "casts":
    case "prune":
    case "status":
    case "show":
    case "budget":
      return (await import("./casts.ts")).lookAtCasts({ ...request, command });
    case "loadout":
    case "materia":
    case "grid":
    case "check":
      return (await import("./catalog.ts")).lookAtCatalog({ ...request, command });
    case "ui":
      return { ok: false, issues: [error("unknown_command", "ui", "the web UI is not part of this build")] };
    default:
      return never(command);
  }
}
