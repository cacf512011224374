import { apply } from "../../core/cast/apply.ts";
import type { CastEvent, EventBody } from "../../core/cast/event.ts";
import type { CastState } from "../../core/cast/state.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { castFolder, journalFile } from "../store/cast-store.ts";
import { openJournal } from "../store/journal.ts";
import { claim } from "../store/ownership.ts";
import { claimIssue, takeUp } from "./drive.ts";
import type { Workspace } from "./workspace.ts";

/** Writes events into the journal of a cast that nobody drives, without running it. */
export async function record(
  workspace: Workspace,
  castId: string,
  bodies: readonly EventBody[],
): Promise<Result<CastState>> {
  const folder = castFolder(workspace.root, castId);
  if (!folder.ok) return folder;
  const mine = claim(folder.value.runDir);
  if (mine.kind !== "mine") return fail(claimIssue(folder.value.castId, mine));
  try {
    const cast = takeUp(workspace.root, castId);
    if (!cast.ok) return cast;
    const events: CastEvent[] = [];
    let { state } = cast.value.journal;
    for (const body of bodies) {
      const event: CastEvent = { seq: state.seq + 1, at: new Date().toISOString(), ...body };
      state = apply(state, event);
      events.push(event);
    }
    const journal = openJournal(journalFile(folder.value.runDir), { durability: "sync", redact: (text) => text });
    const problem = await journal.append(events);
    journal.close();
    return problem === undefined ? ok(state) : fail(error("cannot_write", castId, problem));
  } finally {
    mine.release();
  }
}
