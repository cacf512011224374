import type { Options } from "../../core/command/options.ts";
import type { Result } from "../../core/model/issue.ts";
import { demoLog, prepareDemo } from "../../shell/casting/demo/demo.ts";
import { answer } from "../../shell/commands/run-command.ts";
import { runCasting } from "./casting.ts";
import { printAnswer } from "./terminal/lines.ts";
import { styled } from "./terminal/io.ts";
import type { Io } from "./terminal/io.ts";

/** [C20, C21] A complete cast in a scratch repository. The replies are scripted; the engine, the agent loop, the tools and git are real. */
export async function demo(io: Io, options: Options): Promise<Result<number>> {
  const prepared = prepareDemo(io.env);
  if (!prepared.ok) return prepared;
  const { repository, workspace, request, loadout, rehearsal } = prepared.value;
  if (!options.json) io.err(introduction(io, repository, request));
  const done = await runCasting(
    { kind: "cast", prompt: request, loadout },
    { io, workspace, options: { ...options, cwd: repository, rehearse: rehearsal } },
  );
  if (!done.ok || options.json || options.quiet) return done;
  io.out(`\n${heading(io, "The story")}\n`);
  const story = await answer({ kind: "show" }, workspace, repository);
  if (story.ok) printAnswer(io, options, story.value);
  io.out(`\n${heading(io, "What stands in the repository now")}\n${demoLog(repository)}\n`);
  io.out(whatNext(io, repository));
  return done;
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
    `  ${io.program} casts --cwd ${repository}`,
    `  ${`${io.program} grid Full-Auto`.padEnd(34)}  the graph that just ran`,
    `  ${`${io.program} init --cwd DIR`.padEnd(34)}  your own loadout, in your own project`,
    `  ${io.program} --help`,
    "",
  ].join("\n");
}
