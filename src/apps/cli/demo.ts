import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Options } from "../../core/command/options.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { problemText } from "../../shell/files/problem.ts";
import { packagePath } from "../../shell/files/package-files.ts";
import { openWorkspace } from "../../shell/casting/workspace.ts";
import { answer } from "../../shell/commands/perform.ts";
import { runCasting } from "./casting.ts";
import { printAnswer } from "./lines.ts";
import { styled } from "./io.ts";
import type { Io } from "./io.ts";

/** [C20, C21] A complete cast in a scratch repository. The replies are scripted; the engine, the agent loop, the tools and git are real. */
export async function demo(io: Io, options: Options): Promise<Result<number>> {
  const scratch = makeRepository();
  if (!scratch.ok) return scratch;
  const { repository, config } = scratch.value;
  const request = readFileSync(packagePath("examples", "demo", "request.txt"), "utf8").trim();
  // What the user has configured must not change the demo.
  const env = { ...io.env, XDG_CONFIG_HOME: config, MATERIA_CONFIG: undefined };
  const workspace = openWorkspace({ cwd: repository, env });
  if (!workspace.ok) return workspace;
  if (!options.json) io.err(introduction(io, repository, request));
  const shared = { io, workspace: workspace.value };
  const done = await runCasting(
    { kind: "cast", prompt: request, loadout: "Full-Auto" },
    {
      ...shared,
      options: { ...options, cwd: repository, rehearse: packagePath("examples", "demo", "rehearsal.json") },
    },
  );
  if (!done.ok || options.json || options.quiet) return done;
  io.out(`\n${heading(io, "The story")}\n`);
  const story = await answer({ kind: "show" }, workspace.value, repository);
  if (story.ok) printAnswer(io, options, story.value);
  io.out(
    `\n${heading(io, "What stands in the repository now")}\n${git(repository, "log", "--oneline", "--stat", "--no-decorate")}\n`,
  );
  io.out(whatNext(io, repository));
  return done;
}

interface Scratch {
  readonly repository: string;
  readonly config: string;
}

function makeRepository(): Result<Scratch> {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
  } catch {
    return fail(error("no_git", "git", "the demo needs git, and it is not on PATH", "install git and run it again"));
  }
  try {
    const scratch = mkdtempSync(join(tmpdir(), "materia-demo-"));
    const repository = join(scratch, "slugline");
    const config = join(scratch, "config");
    cpSync(packagePath("examples", "demo", "seed"), repository, { recursive: true });
    mkdirSync(config);
    git(repository, "init", "--quiet", "--initial-branch=main");
    for (const [key, value] of [
      ["user.name", "Materia Demo"],
      ["user.email", "demo@example.invalid"],
      ["commit.gpgsign", "false"],
      ["core.hooksPath", "/dev/null"],
    ] as const)
      git(repository, "config", key, value);
    git(repository, "add", "--all");
    git(repository, "commit", "--quiet", "--message", "A small project to work on");
    return ok({ repository, config });
  } catch (thrown) {
    return fail(error("cannot_prepare", tmpdir(), `the scratch repository cannot be made: ${problemText(thrown)}`));
  }
}

function git(repository: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", repository, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function introduction(io: Io, repository: string, request: string): string {
  return [
    styled(io, "bold", "materia demo"),
    `A cast of the bundled loadout Full-Auto in a scratch repository: ${repository}`,
    `Request: ${request}`,
    "The agents' replies are scripted, so no model or key is needed. Everything else is real:",
    "the engine, Pi's agent loop, the tools that write files and run tests, git.",
    "",
    "",
  ].join("\n");
}

function heading(io: Io, text: string): string {
  return styled(io, ["bold", "underline"], text);
}

function whatNext(io: Io, repository: string): string {
  return [
    heading(io, "What to try next"),
    `  cd ${repository} && git show        look at what was made`,
    `  materia casts --cwd ${repository}`,
    "  materia grid Full-Auto              the graph that just ran",
    "  materia init                        your own loadout, in your own project",
    "  materia --help",
    "",
  ].join("\n");
}
