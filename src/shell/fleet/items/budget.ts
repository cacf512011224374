import type { CastState } from "../../../core/cast/state/state.ts";
import { NO_USAGE, addUsage, larger, tokensOf, type Usage } from "../../../core/cast/state/usage.ts";
import type { Budget } from "../../../core/model/config.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { hasRoomFor, isLimit, isUsedUp, minus } from "../../items/budget.ts";
import type { Admission, ItemRequest, Ports } from "../../ports.ts";
import { pause } from "../../run/pause.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import type { News } from "../../store/postgres/database/news.ts";

/** What the items of one fork may use between them. */
interface Share {
  readonly budget: Budget;
  /** What their parent had used before the first of them began and those have that are over, and the largest turn. */
  readonly usage: Usage;
  readonly largest: Usage;
  /** Set when a turn of one that is over has told how large they are. */
  readonly isKnown?: boolean;
}

/** [V13] Written before the first item begins; a budget that was raised since takes the place of the one before. */
export async function shareBudget(database: Database, parent: CastId, request: ItemRequest): Promise<void> {
  const { budget, usage, largest } = request.parent;
  await database.rows({
    text: `update materia.casts set shared = jsonb_set(shared, array[$2], coalesce(shared -> $2, $3) || jsonb_build_object('budget', $4::jsonb))
      where cast_id = $1`,
    values: [parent, String(request.fork), JSON.stringify({ usage, largest }), JSON.stringify(budget)],
  });
}

/** The account of one item, in its own row: what it has used, and its turn while one is under way. */
interface Account {
  readonly fork: string;
  readonly spent: Usage;
  readonly largest: Usage;
  /** Of the turn under way, or of one that nobody ended. */
  readonly used: Usage;
  /** Of the claim that the turn under way belongs to. */
  readonly epoch: number | null;
  /** Whether a turn of it is over: then it is known how large they are. */
  readonly isKnown: boolean;
}

export interface BudgetPlace {
  readonly database: Database;
  /** Told whenever an item has used something, by its parent. */
  readonly budgets: News;
  readonly castId: CastId;
  readonly parent: CastId;
  readonly fork: string;
}

/** A worker may die without a word; then the turn that was waited for counts no more. */
const LOOK_MS = 1_000;

/** [B31] One budget for items that are driven on several machines: they are let in one at a time, by what is written. */
export function openAdmission(place: BudgetPlace): NonNullable<Ports["admit"]> {
  return async (state, signal) => {
    for (;;) {
      const woken = new AbortController();
      const stop = place.budgets.on(place.parent, () => woken.abort());
      try {
        const entered = await enter(place, state, signal.aborted);
        if (entered) return begun(place, state, entered);
        await pause(LOOK_MS, AbortSignal.any([signal, woken.signal]));
      } finally {
        stop();
      }
    }
  };
}

interface Entered {
  readonly share: Share;
  readonly others: Usage;
  readonly account: Account;
}

/** Of all items of a parent one at a time. Nothing where it has to wait. */
function enter(place: BudgetPlace, state: CastState, isForced: boolean): Promise<Entered | undefined> {
  const { castId, parent, fork, database } = place;
  return database.transaction(async (client) => {
    await client.query("select pg_advisory_xact_lock($1, hashtext($2))", [ENTERING, parent]);
    const ask: Ask = async (text, values) => (await client.query(text, [...values])).rows;
    const { share, rows } = await readAccounts(ask, place);
    await settle(ask, place, { share, over: rows.filter(({ over }) => over) });
    const own = rows.find((row) => row.cast_id === castId);
    const others = rows.filter((row) => row !== own);
    const spent = others.map(totalOf).reduce(addUsage, share.usage);
    const settled = others.map((row) => (row.open ? row.turn.spent : totalOf(row))).reduce(addUsage, share.usage);
    const largest = rows.map(({ turn }) => turn.largest).reduce(larger, larger(share.largest, state.largest));
    const isKnown =
      share.isKnown === true || rows.some(({ turn }) => turn.isKnown) || tokensOf(largest) > 0 || largest.cost > 0;
    const turns = others.filter(({ open }) => open).map(({ turn }) => turn.used);
    const room = { settled: addUsage(settled, state.usage), turns, largest: isKnown ? largest : undefined };
    const isOut = isUsedUp(share.budget, addUsage(spent, state.usage));
    if (!isOut && !isForced && !hasRoomFor(share.budget, room)) return undefined;
    const account = { fork, spent: state.usage, largest, used: NO_USAGE, epoch: own?.epoch ?? null, isKnown };
    await client.query("update materia.casts set turn = $2 where cast_id = $1", [castId, JSON.stringify(account)]);
    return { share, others: spent, account };
  });
}

const ENTERING = 7_705;

type Ask = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

interface AccountRow {
  readonly cast_id: string;
  readonly epoch: number;
  readonly turn: Account;
  /** Whether its turn is under way still. */
  readonly open: boolean;
  /** Whether it has reached its end, and nothing will be written to its account any more. */
  readonly over: boolean;
}

const NONE = { spent: NO_USAGE, largest: NO_USAGE, used: NO_USAGE, epoch: null, isKnown: false };

/** All at one moment: what is settled in between would be counted nowhere. */
async function readAccounts(ask: Ask, { castId, parent, fork }: BudgetPlace): Promise<Accounts> {
  const [found] = (await ask(ACCOUNTS, [parent, fork, castId, JSON.stringify({ ...NONE, fork })])) as [
    { readonly share: Share | null; readonly rows: readonly AccountRow[] } | undefined,
  ]; // as it is asked for
  return {
    share: found?.share ?? { budget: {}, usage: NO_USAGE, largest: NO_USAGE },
    rows: found?.rows ?? [],
  };
}

interface Accounts {
  readonly share: Share;
  readonly rows: readonly AccountRow[];
}

/** Those that have an account, which are the ones at work: `turn` of all others is null. */
const ACCOUNTS = `
select (select shared -> $2 from materia.casts where cast_id = $1) as share, (
  select coalesce(jsonb_agg(jsonb_build_object('cast_id', cast_id, 'epoch', epoch, 'turn', coalesce(turn, $4),
    'open', coalesce((turn ->> 'epoch')::int = epoch and materia.is_driven(owner), false),
    'over', coalesce(turn ->> 'epoch' is null and turn is not null and owner is null and status in ('completed', 'not_satisfied'), false))), '[]')
  from materia.casts where cast_id = $3 or (parent = $1 and turn is not null and turn ->> 'fork' = $2)) as rows`;

/** What has reached its end is never set going again: its account goes up in the common one, so that few are read however many there were. */
async function settle(
  ask: Ask,
  { parent, fork }: BudgetPlace,
  { share, over }: { readonly share: Share; readonly over: readonly AccountRow[] },
): Promise<void> {
  if (over.length === 0) return;
  const common = {
    usage: over.map(totalOf).reduce(addUsage, share.usage),
    largest: over.map(({ turn }) => turn.largest).reduce(larger, share.largest),
    isKnown: share.isKnown === true || over.some(({ turn }) => turn.isKnown),
  };
  await ask(
    `with common as (
        update materia.casts set shared = jsonb_set(shared, array[$2], (shared -> $2) || $3::jsonb) where cast_id = $1 and shared ? $2 returning 1
      )
      update materia.casts set turn = null where cast_id = any($4) and exists (select from common)`,
    [parent, fork, JSON.stringify(common), over.map(({ cast_id: id }) => id)],
  );
}

function totalOf({ turn }: AccountRow): Usage {
  return addUsage(turn.spent, turn.used);
}

/** The turn of this item, for as long as it is under way. */
function begun(place: BudgetPlace, state: CastState, { share, account, ...entered }: Entered): Admission {
  const { database, castId, parent, budgets } = place;
  let { others } = entered;
  let used = NO_USAGE;
  const total = (usage: Usage): Usage => addUsage(addUsage(others, state.usage), usage);
  const look = async (): Promise<void> => {
    const now = await readAccounts((text, values) => database.rows({ text, values }), place);
    others = now.rows
      .filter((row) => row.cast_id !== castId)
      .map(totalOf)
      .reduce(addUsage, now.share.usage);
  };
  const isShared = isLimit(share.budget);
  const stop = isShared ? budgets.on(parent, () => void look().catch(() => undefined)) : () => undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = (now: Account): void => {
    const text =
      "with c as (update materia.casts set turn = $2 where cast_id = $1) select pg_notify('materia_budgets', $3)";
    writing = writing
      .then(() => database.rows({ text, values: [castId, JSON.stringify(now), parent] }))
      // What it has used stands in its journal soon, and is taken from there before its next turn.
      .catch(() => undefined);
  };
  const own = addUsage(state.usage, state.item?.elsewhere ?? NO_USAGE);
  const isOut = isUsedUp(share.budget, total(NO_USAGE));
  return {
    elsewhere: isOut ? minus(total(NO_USAGE), own) : NO_USAGE,
    isUsedUp: (usage) => isUsedUp(share.budget, total(usage)),
    used: (usage) => {
      used = usage;
      if (isShared) write({ ...account, used });
    },
    end: () => {
      stop();
      const after = { spent: addUsage(account.spent, used), largest: larger(account.largest, used) };
      write({ ...account, ...after, used: NO_USAGE, epoch: null, isKnown: true });
    },
  };
}
