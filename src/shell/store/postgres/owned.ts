import { rmSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { errorText } from "../../system/problem.ts";
import type { CheckpointPolicy, OwnedCast, WriteOptions } from "../cast-store.ts";
import type { CastLayout } from "../layout.ts";
import type { PackUpload } from "./append.ts";
import { isTransientError, type Database } from "./database/database.ts";
import { withDatabaseErrors, ignoreErrors } from "./looking.ts";
import type { Notifications } from "./database/news.ts";
import { createScratchArtifacts } from "./scratch.ts";
import { createEventWriter } from "./writer.ts";

/** [B8] The files that events speak of, as a pack; a sentence where they cannot be had. */
export type PackSource = (castId: CastId, events: readonly CastEvent[]) => Promise<PackUpload | string | undefined>;

export interface OwnedCastContext {
  readonly castId: CastId;
  readonly claim: string;
  readonly epoch: number;
  readonly layout: CastLayout;
  readonly location: string;
  readonly writeOptions: WriteOptions;
  /** Where an abort was asked for before it was claimed. */
  readonly isAborted: boolean;
  readonly database: Database;
  readonly notifications: Notifications;
  readonly notify: (castId: string) => void;
  readonly packFor: PackSource | undefined;
  readonly checkpointPolicy: CheckpointPolicy | undefined;
  readonly onDatabaseError: ((castId: CastId) => void) | undefined;
  /** Called when it is let go, or known to be another's. */
  readonly onReleased: () => void;
}

const TAKEN_OVER = "another worker has taken this cast over meanwhile";

/** A cast of this process, in the database. Everything it writes is written for its claim alone. */
export function createOwnedCast(parts: OwnedCastContext): OwnedCast {
  const { castId, layout, notify: tell, notifications: news } = parts;
  const artifacts = createScratchArtifacts(layout, parts.writeOptions);
  const writer = createEventWriter(parts, artifacts);
  const row = createClaimedRow(parts);
  const ifHeld = async (work: () => Promise<string | undefined>): Promise<string | undefined> =>
    (await row.holds()) ? work() : TAKEN_OVER;
  const append = async (events: readonly CastEvent[], after: number): Promise<string | undefined> => {
    if (row.isLost()) return TAKEN_OVER;
    try {
      const unwritten = await writer.write(events, after);
      if (unwritten?.kind !== "lost") return unwritten?.problem;
      return (await row.holds()) ? `the journal stands at another place than behind event ${after}` : TAKEN_OVER;
    } catch (thrown) {
      if (isTransientError(thrown)) parts.onDatabaseError?.(castId);
      return `the journal cannot be written: ${errorText(thrown)}`;
    }
  };
  return {
    castId,
    epoch: parts.epoch,
    worktreesFolder: layout.worktreesFolder,
    scratch: layout.scratch,
    ...(parts.checkpointPolicy ? { checkpointPolicy: parts.checkpointPolicy } : {}),
    load: (known) => withDatabaseErrors(castId, () => writer.load(known)),
    journal: { append },
    artifacts: {
      ...artifacts,
      write: (...args) => ifHeld(() => artifacts.write(...args)),
      append: (...args) => ifHeld(() => artifacts.append(...args)),
    },
    writeNote: (name, text) => row.set("notes = notes || jsonb_build_object($3::text, $4::text)", name, text),
    readNote: async (name) => (await row.read("notes ->> $3", name)) ?? undefined,
    // The session of its worker shows that.
    heartbeat: async () => undefined,
    holdsClaim: row.holds,
    isSuperseded: row.isLost,
    onAbortRequest: (listener) => {
      if (parts.isAborted) queueMicrotask(listener);
      const look = async (): Promise<void> => {
        if ((await row.read("abort_by")) !== undefined) listener();
      };
      return news.on(castId, () => void look());
    },
    release: async () => {
      row.lose();
      await row.set("owner = null, claim = null");
      tell(castId);
    },
    discard: async () => {
      if (await row.remove()) rmSync(layout.folder, { recursive: true, force: true });
      row.lose();
      tell(castId);
    },
  };
}

/** The row of a cast as long as the claim stands in it. */
function createClaimedRow({ database, castId, claim, onReleased: forget }: OwnedCastContext) {
  const where = "cast_id = $1 and claim = $2";
  const mine = [castId, claim];
  let isLost = false;
  const lose = (): void => {
    isLost = true;
    forget();
  };
  const rows = (text: string, values: readonly unknown[] = [], name?: string) =>
    database.query<{ field?: string | null }>({ text, values: [...mine, ...values], ...(name ? { name } : {}) });
  return {
    lose,
    isLost: () => isLost,
    holds: async (): Promise<boolean> => {
      if (isLost) return false;
      // Nobody knows where it cannot be asked: who does not know must not act.
      const found = await ignoreErrors(() => rows(`select from materia.casts where ${where}`, [], "holds"));
      if (found?.length === 0) lose();
      return (found?.length ?? 0) > 0;
    },
    read: async (what: string, ...values: readonly unknown[]): Promise<string | undefined> => {
      const found = await ignoreErrors(() => rows(`select ${what} as field from materia.casts where ${where}`, values));
      return found?.[0]?.field ?? undefined;
    },
    /** A note may be lost; a cast that cannot be let go is free when its worker counts as gone. */
    set: async (change: string, ...values: readonly unknown[]): Promise<void> =>
      void (await ignoreErrors(() => rows(`update materia.casts set ${change} where ${where}`, values))),
    remove: async (): Promise<boolean> => {
      const gone = await ignoreErrors(() => rows(`delete from materia.casts where ${where} returning cast_id as field`));
      return (gone?.length ?? 0) > 0;
    },
  };
}
