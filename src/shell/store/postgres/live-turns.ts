import * as v from "valibot";
import { AgentProgress } from "../../../core/wire/stream.ts";
import type { Subscription } from "../cast-store.ts";
import type { Database } from "./database.ts";
import { TURNS_CHANNEL, openNotifications, createNotifier } from "./notifications.ts";

/** [B70] The turn in hand as a worker last told it: its notes in their order, without those at its beginning that it had no room for. */
const LiveTurn = v.object({ turn: v.string(), gone: v.number(), notes: v.array(AgentProgress) });
type LiveTurn = v.InferOutput<typeof LiveTurn>;

/** One row for a cast that is driven: what it held before is gone. Nothing is written for who does not drive the cast. */
export async function writeLiveTurn(
  database: Database,
  { castId, workerId }: { readonly castId: string; readonly workerId: string },
  turn: LiveTurn,
): Promise<void> {
  await database.queryOnce({
    name: "write_turn",
    text: `insert into materia.live (cast_id, turn) select cast_id, $3 from materia.casts where cast_id = $1 and owner = $2
      on conflict (cast_id) do update set turn = excluded.turn`,
    values: [castId, workerId, JSON.stringify(turn)],
  });
}

export async function deleteLiveTurn(database: Database, castId: string): Promise<void> {
  await database.queryOnce({ text: "delete from materia.live where cast_id = $1", values: [castId] });
}

/** What agents do right now, told and heard. */
export interface LiveTurns {
  readonly followTurn: (castId: string, wake: () => void) => Subscription<readonly AgentProgress[]>;
  /** That there is something new. */
  readonly notifyTurn: (castId: string) => void;
  readonly close: () => Promise<void>;
}

export function openLiveTurns(database: Database): LiveTurns {
  const news = openNotifications(database, TURNS_CHANNEL);
  return {
    followTurn: (castId, wake) => {
      let isOld = true;
      const stop = news.on(castId, () => {
        isOld = true;
        wake();
      });
      const takeOld = (): boolean => {
        const was = isOld;
        isOld = false;
        return was;
      };
      return followTurnRow(database, castId, { takeOld, stop });
    },
    notifyTurn: createNotifier(database, TURNS_CHANNEL),
    close: news.close,
  };
}

/** The notes of the turn in hand that were not said yet, read only when there may be some. */
function followTurnRow(
  database: Database,
  castId: string,
  { takeOld, stop }: { readonly takeOld: () => boolean; readonly stop: () => void },
): Subscription<readonly AgentProgress[]> {
  let said: DeliveredNotes = { turn: "", notes: 0, last: undefined };
  const next = async (): Promise<readonly AgentProgress[]> => {
    if (!takeOld()) return [];
    const text = "select turn from materia.live where cast_id = $1";
    const [row] = await database.queryOnce<{ turn: string }>({ name: "read_turn", text, values: [castId] });
    const read = row && v.safeParse(LiveTurn, JSON.parse(row.turn));
    if (!read?.success) return [];
    const { turn, gone, notes } = read.output;
    const fresh = undeliveredNotes(said, read.output);
    said = { turn, notes: gone + notes.length, last: notes.at(-1) };
    return fresh;
  };
  // What is missed now stands in the journal soon.
  return { next: () => next().catch(() => []), close: stop };
}

/** How far the turn was heard: how many notes, and the last of them as it was then. */
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

/** The last note may have grown since: text by what follows it, a tool by all that it has said. */
function grownPart(before: AgentProgress, now: AgentProgress | undefined): AgentProgress | undefined {
  if (!now || now.kind !== before.kind) return undefined;
  if ((now.kind === "text" || now.kind === "thinking") && "delta" in before) {
    const delta = now.delta.slice(before.delta.length);
    return delta === "" ? undefined : { ...now, from: now.from + before.delta.length, delta };
  }
  return now.kind === "tool_said" && "said" in before && before.said !== now.said ? now : undefined;
}
