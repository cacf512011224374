import type { InboxCommand } from "../../core/command/command.ts";
import { failWith, ok, suggest, typed } from "../../core/model/issue.ts";
import { countedText } from "../../core/model/text.ts";
import { inboxLines } from "../../core/view/inbox.ts";
import { line, toned } from "../../core/view/line.ts";
import { listIndexedCasts, markSeen } from "../config/cast-index.ts";
import { findIndexedCast, listInbox } from "../workspace/inbox.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CommandOutput, CommandResult } from "./command-output.ts";

/** More rows than anybody reads at once; `--json` has all of them. */
const MAX_ROWS = 100;

/** [YI2, YI4] */
export async function runInbox({ place }: Workspace, command: InboxCommand): CommandResult {
  const { env, program } = place;
  const { done, all } = command;
  if (typeof done === "string") {
    const cast = await findIndexedCast(env, done);
    const hint = suggest`${typed`inbox --all`} lists them`;
    if (!cast) return failWith("unknown_cast", done, `no cast of the inbox has the id "${done}"`, hint);
    markSeen(env, [cast]);
    return ok(doneOutput([cast.castId]));
  }
  const rows = await listInbox(env, { all, program });
  if (done) {
    const listed = new Set(rows.map(({ castId }) => castId));
    markSeen(
      env,
      listIndexedCasts(env).filter(({ castId }) => listed.has(castId)),
    );
    return ok(doneOutput([...listed]));
  }
  const more = rows.length > MAX_ROWS ? [line(toned("dim", `${rows.length - MAX_ROWS} more: --json lists all.`))] : [];
  return ok({
    code: 0,
    data: rows,
    lines: (width) =>
      rows.length === 0 ? [line("Nothing waits for you.")] : [...inboxLines(rows.slice(0, MAX_ROWS), width), ...more],
  });
}

function doneOutput(casts: readonly string[]): CommandOutput {
  return { code: 0, data: { done: casts }, lines: () => [line(`${countedText(casts.length, "cast")} done.`)] };
}
