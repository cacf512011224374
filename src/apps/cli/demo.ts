import type { DemoKind } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import type { Result } from "../../core/model/issue.ts";
import { demoLog, prepareDemo } from "../../shell/casting/demo/demo.ts";
import type { Demo } from "../../shell/casting/demo/demo.ts";
import { answer } from "../../shell/commands/run-command.ts";
import { runCasting } from "./casting.ts";
import { printAnswer } from "./terminal/lines.ts";
import { styled } from "./terminal/io.ts";
import type { Io } from "./terminal/io.ts";

/** [C20, C21] A complete cast in a scratch repository. The replies are scripted; the engine, the agent loop, the tools and git are real. */
export async function demo(io: Io, which: DemoKind, options: Options): Promise<Result<number>> {
  const prepared = prepareDemo(io.env, which);
  if (!prepared.ok) return prepared;
  const { repository, workspace, request, loadout, rehearsal } = prepared.value;
  if (!options.json) io.err(introduction(io, prepared.value));
  const done = await runCasting(
    { kind: "cast", prompt: request, loadout },
    { io, workspace, options: { ...options, cwd: repository, rehearse: rehearsal } },
  );
  if (!done.ok || options.json || options.quiet) return done;
  io.out(`\n${heading(io, "The story")}\n`);
  const story = await answer({ kind: "show" }, workspace, repository);
  if (story.ok) printAnswer(io, options, story.value);
  io.out(`\n${heading(io, "What stands in the repository now")}\n${demoLog(repository)}\n`);
  io.out(whatNext(io, prepared.value));
  return done;
}

function introduction(io: Io, { loadout, repository, request, which }: Demo): string {
  return [
    styled(io, "bold", "materia demo"),
    `A cast of the bundled loadout ${loadout} in a scratch repository: ${repository}`,
    `Request: ${request}`,
    "The agents' replies are scripted, so no model or key is needed. Everything else is real:",
    "the engine, Pi's agent loop, the tools that write files and run tests, git.",
    ...(which === "parallel"
      ? ["Three items are worked on at once, each in a working tree of its own; two of them will collide."]
      : []),
    "",
    "",
  ].join("\n");
}

function heading(io: Io, text: string): string {
  return styled(io, ["bold", "underline"], text);
}

function whatNext(io: Io, { loadout, repository, which }: Demo): string {
  return [
    heading(io, "What to try next"),
    `  cd ${repository} && git show        look at what was made`,
    `  ${io.program} casts --cwd ${repository}`,
    `  ${`${io.program} grid ${loadout}`.padEnd(34)}  the graph that just ran`,
    ...(which === "plain"
      ? [`  ${`${io.program} demo --parallel`.padEnd(34)}  several items at once, with a conflict`]
      : []),
    `  ${`${io.program} init --cwd DIR`.padEnd(34)}  your own loadout, in your own project`,
    `  ${io.program} --help`,
    "",
  ].join("\n");
}
