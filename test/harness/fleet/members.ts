import type { Database, Statement } from "../../../src/shell/store/postgres/database.ts";
import { afterFile } from "../after-file.ts";
import { fleetDatabase, opened } from "./postgres.ts";

/** A fleet with two projects of one member each, and a worker: `ann` is hostile, `ben` has something to lose. */
export interface Neighbours {
  readonly url: string;
  readonly admin: Database;
  readonly ann: Database;
  readonly ben: Database;
  readonly worker: Database;
  /** The names of the roles. */
  readonly names: { readonly ann: string; readonly ben: string; readonly worker: string };
}

export async function openNeighbours(): Promise<Neighbours> {
  const { url, database: admin } = await fleetDatabase();
  const suffix = Math.random().toString(36).slice(2, 8);
  const names = { ann: `ann_${suffix}`, ben: `ben_${suffix}`, worker: `worker_${suffix}` };
  const login = async (name: string, of: string): Promise<Database> => {
    await admin.queryOnce({ text: `create role ${name} login password 'x' in role ${of}` });
    const made = await opened(url.replace(/\/\/[^@]*@/, `//${name}:x@`));
    afterFile(() => made.close());
    return made;
  };
  const [ann, ben] = [await login(names.ann, "materia_member"), await login(names.ben, "materia_member")];
  const worker = await login(names.worker, "materia_worker");
  const values = [names.ann, names.ben];
  await admin.queryOnce({ text: "insert into materia.members values ('red', $1), ('blue', $2)", values });
  afterFile(() => admin.close());
  return { url, admin, ann, ben, worker, names };
}

/** The values of a submission as the program sends them. */
export interface SubmissionValues {
  readonly id: string;
  readonly project: string;
  readonly queue: string;
  readonly priority: unknown;
  readonly file: unknown;
  readonly brings: unknown;
  readonly source: unknown;
  readonly key: unknown;
  readonly providers: unknown;
  readonly head: unknown;
  readonly ckpt: unknown;
  readonly pack: unknown;
  readonly person: unknown;
}

export function castFileText(id: string, more: object = {}): string {
  return JSON.stringify({
    castId: id,
    request: "x",
    loadout: { name: "L" },
    startedAt: "2026-01-01T00:00:00.000Z",
    rehearsal: null,
    ...more,
  });
}

export function submission(id: string, project: string, change: Partial<SubmissionValues> = {}): Statement {
  const sent: SubmissionValues = {
    id,
    project,
    queue: "casts",
    priority: 0,
    file: castFileText(id),
    brings: "{}",
    source: null,
    key: null,
    providers: [],
    head: null,
    ckpt: null,
    pack: null,
    person: null,
    ...change,
  };
  const values = Object.values(sent);
  return { text: `select materia.submit_cast(${values.map((_, at) => `$${at + 1}`).join(", ")}) as done`, values };
}

/** The code of the refusal, or "allowed". */
export function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "allowed",
    (thrown: { readonly code?: string; readonly message: string }) => thrown.code ?? thrown.message,
  );
}
