import * as v from "valibot";
import { AgentProgress } from "../../../core/wire/stream.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { sql, type Database } from "./database.ts";
import { TURNS_CHANNEL, openNotifications, createCastNotifier } from "./notifications.ts";

/** [B70] The running turn as its worker last published it: its notes in order, without the first ones that did not fit. */
const LiveTurn = v.object({ turn: v.string(), gone: v.number(), notes: v.array(AgentProgress) });
type LiveTurn = v.InferOutput<typeof LiveTurn>;

/** One row for a running cast, replaced by each write. Only the owner of the cast writes it. */
export async function writeLiveTurn(
  database: Database,
  { castId, workerId }: { readonly castId: string; readonly workerId: string },
  turn: LiveTurn,
): Promise<void> {
  const written = sql`insert into materia.live (cast_id, turn)
    select cast_id, ${JSON.stringify(turn)} from materia.casts where cast_id = ${castId} and owner = ${workerId}
    on conflict (cast_id) do update set turn = excluded.turn`;
  await database.queryOnce({ name: "write_turn", ...written });
}

export async function deleteLiveTurn(database: Database, castId: string): Promise<void> {
  await database.queryOnce(sql`delete from materia.live where cast_id = ${castId}`);
}

export function openLiveTurns(database: Database): Pick<PostgresStore, "followTurn" | "notifyTurn" | "close"> {
  const news = openNotifications(database, TURNS_CHANNEL);
  return {
    followTurn: (castId, { socket, visit }, wake) => {
      let isOld = true;
      let said: DeliveredNotes = { turn: "", notes: 0, last: undefined };
      const stop = news.on(castId, () => {
        isOld = true;
        wake();
      });
      const next = async (): Promise<readonly AgentProgress[]> => {
        if (!isOld) return [];
        isOld = false;
        const turnRow = sql`select turn from materia.live where cast_id = ${castId}`;
        const [row] = await database.queryOnce<{ turn: string }>({ name: "read_turn", ...turnRow });
        const read = row && v.safeParse(LiveTurn, JSON.parse(row.turn));
        if (!read?.success) return [];
        const { turn, gone, notes } = read.output;
        const fresh = undeliveredNotes(said, read.output);
        said = { turn, notes: gone + notes.length, last: notes.at(-1) };
        // The row may still hold the turn of an earlier visit.
        return fresh.filter((note) => note.socket === socket && note.visit === visit);
      };
      // Missed output is in the journal soon.
      return { next: () => next().catch(() => []), close: stop };
    },
    notifyTurn: createCastNotifier(database, TURNS_CHANNEL),
    close: news.close,
  };
}

/** How far a turn was delivered: the number of notes, and the last one as it was then. */
interface DeliveredNotes {
  readonly turn: string;
  readonly notes: number;
  readonly last: AgentProgress | undefined;
}

function undeliveredNotes({ turn, notes: count, last }: DeliveredNotes, now: LiveTurn): readonly AgentProgress[] {
  if (now.turn !== turn) return now.notes;
  const from = Math.max(0, count - now.gone);
  const grown = from > 0 && last ? grownPart(last, now.notes[from - 1]) : undefined;
  return [...(grown ? [grown] : []), ...now.notes.slice(from)];
}

/** The last note may have grown: text by a suffix, a tool by its whole output. */
function grownPart(before: AgentProgress, now: AgentProgress | undefined): AgentProgress | undefined {
  if (!now || now.kind !== before.kind) return undefined;
  if ((now.kind === "text" || now.kind === "thinking") && "delta" in before) {
    const delta = now.delta.slice(before.delta.length);
    return delta === "" ? undefined : { ...now, from: now.from + before.delta.length, delta };
  }
  return now.kind === "tool_said" && "said" in before && before.said !== now.said ? now : undefined;
}
