import { openDatabase, type Database } from "../../../../src/shell/store/postgres/database.ts";
import { castFileText, submission } from "../members.ts";

/** A member of another project, who tries everything again and again. */
export interface HostileMember {
  /** What was seen of the project of the others; it must be nothing. */
  readonly seen: () => readonly string[];
  readonly attacks: () => number;
  readonly close: () => Promise<void>;
}

const NAME = "mallory";
const BETWEEN_MS = 50;

const SOURCE = { remote: null, branch: null, below: "" };
/** Sources that the database or a worker refuses. */
const SOURCES: readonly object[] = [
  { ...SOURCE, remote: "--upload-pack=touch /tmp/hostile;" },
  { ...SOURCE, remote: "/etc" },
  { ...SOURCE, remote: "https://127.0.0.1:9/none.git", branch: "refs/heads/main", follows: true },
  { ...SOURCE, below: "../.." },
];

const STATEMENTS: readonly string[] = [
  "select pg_advisory_lock(key) from generate_series(7700, 7710) key",
  "select pg_advisory_lock(7701, n) from generate_series(0, 50) n",
  "select pg_notify(channel, '') from unnest(array['materia', 'materia_due', 'materia_turns', 'materia_budgets']) channel, generate_series(1, 50)",
  "begin; select materia.ask_abort(cast_id) from materia.casts; select pg_sleep(0.2); rollback",
  "begin; select from materia.casts; select from materia.workers; select pg_sleep(0.2); rollback",
  "update materia.casts set status = 'completed'",
  "update materia.workers set state = 'gone'",
  "delete from materia.events",
  "insert into materia.casts (cast_id, project, file, summary) values ('x', 'p', '{}', '{}')",
  "select pg_terminate_backend(pid) from pg_stat_activity where usename <> session_user",
  "set application_name = 'materia-worker'",
  "create temp table casts (cast_id text)",
];

export async function startHostileMember(url: string, admin: Database): Promise<HostileMember> {
  await admin.queryOnce({ text: `create role ${NAME} login password 'x' in role materia_member` });
  await admin.queryOnce({ text: "insert into materia.members values ('q', $1)", values: [NAME] });
  const opened = await openDatabase({ url: url.replace(/\/\/[^@]*@/, `//${NAME}:x@`) });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const database = opened.value;
  const seen: string[] = [];
  const stopped = new AbortController();
  let attacks = 0;
  const look = async (): Promise<void> => {
    const text =
      "select cast_id from materia.casts where project = 'p' union select cast_id from materia.events e where not exists (select from materia.casts c where c.cast_id = e.cast_id)";
    for (const row of await database.queryOnce<{ cast_id: string }>({ text })) seen.push(row.cast_id);
  };
  const attack = async (): Promise<void> => {
    const id = `hostile-${attacks}`;
    const source = JSON.stringify(SOURCES[attacks % SOURCES.length]);
    const text = STATEMENTS[attacks % STATEMENTS.length] ?? "";
    const more = { graph: null, cwd: "/", castId: id };
    // Every one of them is refused, or concerns only the own project.
    await database.queryOnce(submission(id, "q", { source, file: castFileText(id, more) })).catch(() => undefined);
    await database.queryOnce({ text }).catch(() => undefined);
    await look().catch(() => undefined);
  };
  const run = async (): Promise<void> => {
    for (; !stopped.signal.aborted; attacks += 1) {
      await attack();
      await database.pause(BETWEEN_MS);
    }
  };
  const running = run();
  return {
    seen: () => seen,
    attacks: () => attacks,
    close: async () => {
      stopped.abort();
      await running;
      await database.close();
    },
  };
}
