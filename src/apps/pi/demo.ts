import type { DemoKind } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { prepareDemo } from "../../shell/casting/demo.ts";
import { startInProject } from "./casts/start-cast.ts";
import type { CommandContext } from "./casts/session-state.ts";

/** [X29] The demo of the command line in this session: a scratch repository, scripted replies, everything else real. */
export async function runDemo(context: CommandContext, which: DemoKind): Promise<Result<undefined>> {
  const { screen } = context;
  const prepared = prepareDemo(process.env, which);
  if (!prepared.ok) return prepared;
  const { repository, workspace, request, loadout, rehearsal } = prepared.value;
  const trusted = { workspace, remember: () => undefined };
  const started = await startInProject(context, trusted, {
    command: { kind: "cast", prompt: request, loadout },
    options: { cwd: repository, rehearse: rehearsal },
  });
  if (!started.ok) return started;
  screen.note(`The replies of this demo are scripted; everything else is real. It works in ${repository}`);
  if (!screen.isWatched) await started.value.done;
  return ok(undefined);
}
