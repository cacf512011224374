import type { CastEvent, EventBody } from "../../core/cast/state/event.ts";
import { quoteWord } from "../../core/command/words.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import { redactEvent } from "../secrets/events.ts";
import { createRedactor } from "../secrets/redact.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import { databaseIssue } from "../store/postgres/database/database.ts";
import type { ConnectedFleet } from "./open/fleet.ts";

/** [B10] What a person says to a cast that nobody drives, and whether it goes on. */
export async function appendUserEvents(
  { database, profile }: ConnectedFleet,
  { castId, state }: Pick<LoadedCast, "castId" | "state">,
  {
    said,
    env,
    starts,
  }: { readonly said: readonly EventBody[]; readonly env: Parameters<typeof createRedactor>[0]; readonly starts: boolean },
): Promise<Result<undefined>> {
  const redact = createRedactor(env);
  const at = new Date().toISOString();
  const events = said.map((body, index) => {
    const event: CastEvent = { seq: state.seq + 1 + index, at, ...body };
    return JSON.stringify(redactEvent(event, redact));
  });
  try {
    const [row] = await database.query<{ answer: string }>({
      text: "select materia.tell_cast($1, $2, $3, null, $4) as answer",
      values: [castId, state.seq, events, starts],
    });
    return row?.answer === "taken" ? ok(undefined) : fail(refusedEventsIssue(castId, row?.answer ?? "", profile.name));
  } catch (thrown) {
    return fail(databaseIssue(castId, thrown));
  }
}

function refusedEventsIssue(castId: CastId, why: string, fleet: string) {
  const on = `--on ${quoteWord(fleet)}`;
  switch (why) {
    case "moved":
      return error(
        "cast_moved",
        castId,
        "this cast has gone on since it was looked at",
        `"materia status ${castId} ${on}" says where it is`,
      );
    case "owned":
      return error(
        "cast_is_owned",
        castId,
        "a worker drives this cast",
        `stop it with "materia abort ${castId} ${on}", or wait for it`,
      );
    case "queued":
      return error(
        "cast_is_owned",
        castId,
        "this cast waits for a worker already",
        `"materia watch ${castId} ${on}" follows it`,
      );
    case "unknown":
      return error(
        "unknown_cast",
        castId,
        "there is no such cast in your projects",
        `"materia casts ${on}" lists them`,
      );
    default:
      return error("database_failed", castId, "the database refused these events");
  }
}
