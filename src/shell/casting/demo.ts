import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DemoKind } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { packagePath } from "../system/package.ts";
import { errorText } from "../system/files.ts";
import { loadWorkspace, type Workspace } from "../workspace/workspace.ts";
import { commitAllFiles, runPlainGit } from "../git/new-repository.ts";

/** [C20] What the demo's cast needs: a scratch repository, a request and the replies of its agents. */
export interface Demo {
  readonly which: DemoKind;
  readonly repository: string;
  readonly workspace: Workspace;
  readonly request: string;
  readonly loadout: string;
  readonly rehearsal: string;
}

export function prepareDemo(env: Workspace["place"]["env"], which: DemoKind): Result<Demo> {
  const scratch = createDemoRepository();
  if (!scratch.ok) return scratch;
  const { repository, config } = scratch.value;
  // The user's configuration must not change the demo; the cast still counts as the user's own.
  const bare = { ...env, XDG_CONFIG_HOME: config, MATERIA_CONFIG: undefined };
  const workspace = loadWorkspace({ cwd: repository, env: bare });
  if (!workspace.ok) return workspace;
  return ok({
    repository,
    workspace: { ...workspace.value, place: { cwd: repository, env } },
    request: readFileSync(demoFile(which, "request.txt"), "utf8").trim(),
    loadout: which === "parallel" ? "Parallel-Auto" : "Full-Auto",
    rehearsal: demoFile(which, "rehearsal.json"),
    which,
  });
}

function demoFile(which: DemoKind, name: string): string {
  return packagePath("examples", "demo", ...(which === "parallel" ? ["parallel"] : []), name);
}

export function demoLog(repository: string): string {
  return runPlainGit(repository, "log", "--oneline", "--stat", "--no-decorate");
}

function createDemoRepository() {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
  } catch {
    return failWith("missing_git", "git", "demo needs git, which is not on PATH", "install git and run it again");
  }
  try {
    const scratch = mkdtempSync(join(tmpdir(), "materia-demo-"));
    const repository = join(scratch, "slugline");
    const config = join(scratch, "config");
    cpSync(packagePath("examples", "demo", "seed"), repository, { recursive: true });
    mkdirSync(config);
    const author = { name: "Materia Demo", email: "demo@example.invalid" };
    commitAllFiles(repository, { ...author, message: "A small project to work on" });
    return ok({ repository, config });
  } catch (thrown) {
    return failWith("setup_failed", tmpdir(), `demo cannot create its scratch repository: ${errorText(thrown)}`);
  }
}
