import { ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import { prepareDemo } from "../../../shell/casting/demo.ts";
import { beginIn } from "./casting.ts";
import type { Desk } from "./state.ts";

/** [X29] The demo of the command line, watched in this session: a scratch repository, scripted replies, all else real. */
export async function demo(desk: Desk): Promise<Result<undefined>> {
  const { screen } = desk;
  const prepared = prepareDemo(process.env);
  if (!prepared.ok) return prepared;
  const { repository, workspace, request, loadout, rehearsal } = prepared.value;
  const trusted = { workspace, remember: () => undefined };
  const begun = await beginIn(desk, trusted, {
    command: { kind: "cast", prompt: request, loadout },
    options: { cwd: repository, rehearse: rehearsal },
  });
  if (!begun.ok) return begun;
  screen.note(`The replies of this demo are scripted; everything else is real. It works in ${repository}`);
  if (!screen.live) await begun.value.done;
  return ok(undefined);
}
