import type { DemoKind } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { fail, type Result } from "../../core/model/issue.ts";
import { checkPi } from "../../shell/agents/pi-models.ts";
import { demoLog, prepareDemo, type Demo } from "../../shell/casting/demo.ts";
import { runCommand } from "../../shell/commands/run-command.ts";
import { runCastingCommand } from "./casting.ts";
import { nextStepLine } from "../../core/view/report/next-steps.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { printAnswer, printLines, applyStyle, type Io } from "./terminal/io.ts";

/** [C20, C21] A complete cast in a scratch repository. The replies are scripted; the engine, the agent loop, the tools and git are real. */
export async function runDemo(io: Io, which: DemoKind, options: Options): Promise<Result<number>> {
  // Before the scratch repository is made: a refused command leaves nothing behind.
  const missing = await checkPi();
  if (missing) return fail(missing);
  const prepared = prepareDemo(io.env, which);
  if (!prepared.ok) return prepared;
  const { repository, workspace, request, loadout, rehearsal } = prepared.value;
  if (!options.json) printLines(io, introductionLines(prepared.value), io.err);
  const done = await runCastingCommand(
    { kind: "cast", prompt: request, loadout },
    { io, workspace, options: { ...options, cwd: repository, rehearse: rehearsal } },
  );
  if (!done.ok || options.json || options.quiet) return done;
  io.out(`\n${heading(io, "The story")}\n`);
  const story = await runCommand({ kind: "show" }, workspace, repository);
  if (story.ok) printAnswer(io, options, story.value);
  io.out(`\n${heading(io, "What stands in the repository now")}\n${demoLog(repository)}\n`);
  io.out(`${heading(io, "What to try next")}\n`);
  printLines(io, nextStepLines(io, prepared.value));
  return done;
}

function introductionLines({ loadout, repository, request, which }: Demo): readonly Line[] {
  return [
    line(toned("strong", "materia demo")),
    ...[
      `A cast of the bundled loadout ${loadout} in a scratch repository: ${repository}`,
      `Request: ${request}`,
      "The agents' replies are scripted, so no model or key is needed. Everything else is real: the engine, Pi's agent loop, the tools that write files and run tests, git.",
      ...(which === "parallel"
        ? ["Three items run at once, each in its own working tree; two of them will conflict."]
        : []),
      "",
    ].map((text) => line(text)),
  ];
}

function heading(io: Io, text: string): string {
  return applyStyle(io, ["bold", "underline"], text);
}

/** Commands to copy: each as typed here, with its purpose if there is room. */
function nextStepLines(io: Io, { loadout, repository, which }: Demo): readonly Line[] {
  const { program } = io;
  const steps = [
    { command: `cd ${repository} && git show`, does: "look at what was made" },
    { command: `${program} casts --cwd ${repository}`, does: "the cast in a list" },
    { command: `${program} grid ${loadout}`, does: "the graph that just ran" },
    ...(which === "plain"
      ? [{ command: `${program} demo --parallel`, does: "several items at once, with a conflict" }]
      : []),
    { command: `${program} init --cwd DIR`, does: "your own loadout, in your own project" },
    { command: `${program} --help`, does: "all commands" },
  ];
  return steps.map((step) => line("  ", ...nextStepLine(step, io.columns() - 2)));
}
