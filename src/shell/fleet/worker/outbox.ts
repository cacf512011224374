import type { Database } from "../../store/postgres/database/database.ts";
import type { Dispatcher } from "./dispatcher.ts";

interface UnsentRow {
  readonly cast_id: string;
  readonly leg: number;
  readonly queue: string;
  readonly project: string;
  readonly priority: number;
}

const AT_ONCE = 50;

/** [B11] Sends what was submitted or set going to its queue. Several workers may do so at once; each leg is sent once. */
export async function sendDue(database: Database, dispatcher: Dispatcher): Promise<number> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<UnsentRow>(
      `select cast_id, leg, queue, project, priority from materia.casts where sent < leg
        order by cast_id limit ${AT_ONCE} for update skip locked`,
    );
    for (const { cast_id: castId, ...leg } of rows) await dispatcher.send(client, { castId, ...leg });
    await client.query("update materia.casts set sent = leg where cast_id = any($1)", [rows.map((row) => row.cast_id)]);
    return rows.length;
  });
}
