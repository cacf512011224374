import type { QueueRun } from "../../core/command/queue-command.ts";
import { fail, ok, type Result } from "../../core/model/issue.ts";
import { countedText } from "../../core/model/text.ts";
import { line, toned } from "../../core/view/line.ts";
import { optionWords, startInBackground } from "../casting/detach-cast.ts";
import { sharedWatcher } from "../store/files/file-store.ts";
import { listQueue, queueOwner } from "../store/files/queue.ts";
import { queueFolder } from "../store/layout.ts";
import { trustIssue } from "../workspace/workspace.ts";
import type { CommandOutput } from "./command-output.ts";
import { childOptions } from "./prepare-detached.ts";
import type { CommandCaller } from "./prepare.ts";
import { EMPTY_QUEUE, queueRoot, queueRunningIssue } from "./queue.ts";

/** [YQ8] Starts `queue run` as a background process. */
export async function startQueueRun(
  { until, costUsd: cost, atOnce }: QueueRun,
  { workspace, options, remember }: Pick<CommandCaller, "workspace" | "options" | "remember">,
): Promise<Result<CommandOutput>> {
  const root = queueRoot(workspace);
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const running = queueOwner(root);
  if (running) return fail(queueRunningIssue(running));
  const waiting = listQueue(root).length;
  if (waiting === 0) return ok({ code: 0, data: { waiting }, lines: () => [EMPTY_QUEUE] });
  // The other process must find the trust that was given here.
  remember();
  const on = options.on ?? workspace.fleet?.name;
  const words = [
    "queue",
    "run",
    ...optionWords({ ...childOptions(options), trust: options.trust, until, cost, "at-once": atOnce, on }),
  ];
  const started = await startInBackground({
    at: "queue",
    place: workspace.place,
    artifacts: root,
    words,
    owner: async () => queueOwner(root),
    onOwnerChange: (listener) => sharedWatcher.onChange(queueFolder(root), listener),
  });
  if (!started.ok) return started;
  return ok({
    code: 0,
    data: { pid: started.value, waiting },
    lines: () => [
      line(`Process ${started.value} casts ${countedText(waiting, "request")} in the background.`),
      line(toned("accent", "materia queue"), toned("dim", "  shows them")),
      line(toned("accent", `kill ${started.value}`), toned("dim", "  pauses them for the next run")),
    ],
  });
}
