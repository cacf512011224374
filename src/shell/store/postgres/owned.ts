import { rmSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { problemText } from "../../system/problem.ts";
import type { Keeping, OwnedCast, Writing } from "../cast-store.ts";
import type { CastLayout } from "../layout.ts";
import type { SentPack } from "./append.ts";
import { isPassingTrouble, type Database } from "./database/database.ts";
import { guarded, quietly } from "./looking.ts";
import type { News } from "./database/news.ts";
import { scratchArtifacts } from "./scratch.ts";
import { openWriter } from "./writer.ts";

/** [B8] The files that events speak of, as a pack; a sentence where they cannot be had. */
export type PackOf = (castId: CastId, events: readonly CastEvent[]) => Promise<SentPack | string | undefined>;

export interface OwnedParts {
  readonly castId: CastId;
  readonly claim: string;
  readonly epoch: number;
  readonly layout: CastLayout;
  readonly place: string;
  readonly how: Writing;
  /** Where an abort was asked for before it was claimed. */
  readonly isAborted: boolean;
  readonly database: Database;
  readonly news: News;
  readonly tell: (castId: string) => void;
  readonly packOf: PackOf | undefined;
  readonly keeping: Keeping | undefined;
  readonly onTrouble: ((castId: CastId) => void) | undefined;
  /** Called when it is let go, or known to be another's. */
  readonly forget: () => void;
}

const GIVEN_UP = "another worker has taken this cast over meanwhile";

/** A cast of this process, in the database. Everything it writes is written for its claim alone. */
export function ownedInDatabase(parts: OwnedParts): OwnedCast {
  const { castId, layout, tell, news } = parts;
  const artifacts = scratchArtifacts(layout, parts.how);
  const writer = openWriter(parts, artifacts);
  const row = claimedRow(parts);
  const ifHeld = async (work: () => Promise<string | undefined>): Promise<string | undefined> =>
    (await row.holds()) ? work() : GIVEN_UP;
  const append = async (events: readonly CastEvent[], after: number): Promise<string | undefined> => {
    if (row.isLost()) return GIVEN_UP;
    try {
      const unwritten = await writer.write(events, after);
      if (unwritten?.kind !== "lost") return unwritten?.problem;
      return (await row.holds()) ? `the journal stands at another place than behind event ${after}` : GIVEN_UP;
    } catch (thrown) {
      if (isPassingTrouble(thrown)) parts.onTrouble?.(castId);
      return `the journal cannot be written: ${problemText(thrown)}`;
    }
  };
  return {
    castId,
    epoch: parts.epoch,
    trees: layout.trees,
    scratch: layout.scratch,
    ...(parts.keeping ? { keeping: parts.keeping } : {}),
    load: (known) => guarded(castId, () => writer.load(known)),
    journal: { append },
    artifacts: {
      ...artifacts,
      write: (...args) => ifHeld(() => artifacts.write(...args)),
      append: (...args) => ifHeld(() => artifacts.append(...args)),
    },
    keepNote: (name, text) => row.set("notes = notes || jsonb_build_object($3::text, $4::text)", name, text),
    readNote: async (name) => (await row.read("notes ->> $3", name)) ?? undefined,
    // The session of its worker shows that.
    heartbeat: async () => undefined,
    holds: row.holds,
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
function claimedRow({ database, castId, claim, forget }: OwnedParts) {
  const where = "cast_id = $1 and claim = $2";
  const mine = [castId, claim];
  let isLost = false;
  const lose = (): void => {
    isLost = true;
    forget();
  };
  const rows = (text: string, values: readonly unknown[] = [], name?: string) =>
    database.rows<{ field?: string | null }>({ text, values: [...mine, ...values], ...(name ? { name } : {}) });
  return {
    lose,
    isLost: () => isLost,
    holds: async (): Promise<boolean> => {
      if (isLost) return false;
      // Nobody knows where it cannot be asked: who does not know must not act.
      const found = await quietly(() => rows(`select from materia.casts where ${where}`, [], "holds"));
      if (found?.length === 0) lose();
      return (found?.length ?? 0) > 0;
    },
    read: async (what: string, ...values: readonly unknown[]): Promise<string | undefined> => {
      const found = await quietly(() => rows(`select ${what} as field from materia.casts where ${where}`, values));
      return found?.[0]?.field ?? undefined;
    },
    /** A note may be lost; a cast that cannot be let go is free when its worker counts as gone. */
    set: async (change: string, ...values: readonly unknown[]): Promise<void> =>
      void (await quietly(() => rows(`update materia.casts set ${change} where ${where}`, values))),
    remove: async (): Promise<boolean> => {
      const gone = await quietly(() => rows(`delete from materia.casts where ${where} returning cast_id as field`));
      return (gone?.length ?? 0) > 0;
    },
  };
}
