import type { CommandOf } from "../../core/command/command.ts";
import { failWith, suggest, typed } from "../../core/model/issue.ts";
import { countedText } from "../../core/model/text.ts";
import { inboxGroup, inboxLines, type InboxRow } from "../../core/view/inbox.ts";
import { line, toned } from "../../core/view/line.ts";
import { listIndexedCasts, markSeen } from "../config/cast-index.ts";
import { fileStore } from "../store/files/file-store.ts";
import { findIndexedCast, listInbox } from "../workspace/inbox.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";

/** More rows than anybody reads at once; `--json` has all of them. */
const MAX_ROWS = 100;

/** [YI2, YI4] */
export async function runInbox(workspace: Workspace, command: CommandOf<"inbox">): CommandResult {
  const { env, program } = workspace.place;
  const { done, all } = command;
  if (typeof done === "string") {
    const cast = await findIndexedCast(env, done);
    const hint = suggest`${typed`inbox --all`} lists them`;
    if (!cast) return failWith("unknown_cast", done, `no cast of the inbox has the id "${done}"`, hint);
    markSeen(env, [cast]);
    return doneAnswer([cast.castId]);
  }
  const found = await listInbox(env, { all, program });
  if (done) {
    const listed = new Set(found.map(({ castId }) => castId));
    markSeen(
      env,
      listIndexedCasts(env).filter(({ castId }) => listed.has(castId)),
    );
    return doneAnswer([...listed]);
  }
  const rows = await withChanges(workspace, found);
  const more = rows.length > MAX_ROWS ? [line(toned("dim", `${rows.length - MAX_ROWS} more: --json lists all.`))] : [];
  return answer(rows, (width) =>
    rows.length === 0 ? [line("Nothing waits for you.")] : [...inboxLines(rows.slice(0, MAX_ROWS), width), ...more],
  );
}

/** git counts lines for so many results; a longer list would make a person wait for it. */
const MAX_COUNTED = 10;

/** [YI2] The newest results with the lines that they changed. */
async function withChanges(
  { fleet: _fleet, ...workspace }: Workspace,
  rows: readonly InboxRow[],
): Promise<readonly InboxRow[]> {
  const results = rows.filter(({ status }) => inboxGroup(status) === 2).slice(0, MAX_COUNTED);
  if (results.length === 0) return rows;
  const { changeCountsText } = await import("./diff.ts");
  const counted = await Promise.all(
    results.map(async ({ castId, cwd, root, needs }) => {
      const place = { ...workspace.place, cwd };
      const change = await changeCountsText({ ...workspace, place, root, store: fileStore(root) }, castId);
      return [castId, change === undefined ? needs : `${needs}: ${change}`] as const;
    }),
  );
  const texts = new Map(counted);
  return rows.map((row) => ({ ...row, needs: texts.get(row.castId) ?? row.needs }));
}

function doneAnswer(casts: readonly string[]) {
  return answer({ done: casts }, () => [line(`${countedText(casts.length, "cast")} done.`)]);
}
