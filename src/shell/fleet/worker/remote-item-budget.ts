import type { CastState } from "../../../core/cast/state/state.ts";
import { NO_USAGE, addUsage, maxUsage, totalTokens, type Usage } from "../../../core/cast/state/usage.ts";
import type { Budget } from "../../../core/model/config.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { hasBudgetForTurn, hasBudgetLimit, isBudgetUsedUp, subtractUsage } from "../../items/shared-budget.ts";
import type { ItemRequest } from "../../item-ports.ts";
import type { TurnAdmission, Ports } from "../../ports.ts";
import { sleepUnlessAborted } from "../../context/run-context.ts";
import { sql, type Database } from "../../store/postgres/database.ts";
import type { Notifications } from "../../store/postgres/notifications.ts";

interface SharedAllowance {
  readonly budget: Budget;
  /** Usage of the parent before the first item and of all ended items, and the largest turn. */
  readonly usage: Usage;
  readonly largest: Usage;
  /** Set when a finished turn has shown how large turns are. */
  readonly isKnown?: boolean;
}

/** [V13] Written before the first item starts. A raised budget replaces the one before. */
export async function writeSharedBudget(database: Database, parent: CastId, request: ItemRequest): Promise<void> {
  const { budget, usage, largest } = request.parent;
  const fork = String(request.fork);
  await database.query(sql`update materia.casts set shared = jsonb_set(shared, array[${fork}::text],
      coalesce(shared -> ${fork}::text, ${JSON.stringify({ usage, largest })}) || jsonb_build_object('budget', ${JSON.stringify(budget)}::jsonb))
    where cast_id = ${parent}`);
}

/** The account of one item, in its row: its usage, and its running turn. */
interface ItemAccount {
  readonly fork: string;
  readonly spent: Usage;
  readonly largest: Usage;
  readonly used: Usage;
  readonly epoch: number | null;
  /** True if one of its turns has ended: then the size of its turns is known. */
  readonly isKnown: boolean;
}

export interface ItemBudgetContext {
  readonly database: Database;
  readonly budgets: Notifications;
  readonly castId: CastId;
  readonly parent: CastId;
  readonly fork: string;
}

/** A worker may die without a notification; its turn no longer blocks then. */
const ADMISSION_POLL_MS = 1_000;

/** [B31] One budget for items on several machines. Their turns start one at a time, by the accounts in the database. */
export function createAdmission(context: ItemBudgetContext): NonNullable<Ports["admit"]> {
  return async (state, signal) => {
    for (;;) {
      const woken = new AbortController();
      const stop = context.budgets.on(context.parent, () => woken.abort());
      try {
        const entered = await tryAdmit(context, state, signal.aborted);
        if (entered) return runningAdmission(context, state, entered);
        await sleepUnlessAborted(ADMISSION_POLL_MS, AbortSignal.any([signal, woken.signal]));
      } finally {
        stop();
      }
    }
  };
}

interface AdmittedTurn {
  readonly share: SharedAllowance;
  readonly others: Usage;
  readonly account: ItemAccount;
}

/** One item of a parent at a time. Undefined if the turn has to wait. */
function tryAdmit(context: ItemBudgetContext, state: CastState, isForced: boolean): Promise<AdmittedTurn | undefined> {
  const { castId, parent, fork, database } = context;
  return database.transaction(async (client) => {
    await client.query("select from materia.casts where cast_id = $1 for no key update", [parent]);
    const ask: RunQuery = async (text, values) => (await client.query(text, [...values])).rows;
    const { share, rows } = await readAccounts(ask, context);
    await settleFinishedItems(ask, context, { share, over: rows.filter(({ over }) => over) });
    const own = rows.find((row) => row.cast_id === castId);
    const others = rows.filter((row) => row !== own);
    const spent = others.map(accountTotal).reduce(addUsage, share.usage);
    const settled = others.map((row) => (row.open ? row.turn.spent : accountTotal(row))).reduce(addUsage, share.usage);
    const largest = rows.map(({ turn }) => turn.largest).reduce(maxUsage, maxUsage(share.largest, state.largest));
    const isKnown =
      share.isKnown === true || rows.some(({ turn }) => turn.isKnown) || totalTokens(largest) > 0 || largest.cost > 0;
    const turns = others.filter(({ open }) => open).map(({ turn }) => turn.used);
    const room = { settled: addUsage(settled, state.usage), turns, largest: isKnown ? largest : undefined };
    const isOut = isBudgetUsedUp(share.budget, addUsage(spent, state.usage));
    if (!isOut && !isForced && !hasBudgetForTurn(share.budget, room)) return undefined;
    const account = { fork, spent: state.usage, largest, used: NO_USAGE, epoch: own?.epoch ?? null, isKnown };
    await client.query("update materia.casts set turn = $2 where cast_id = $1", [castId, JSON.stringify(account)]);
    return { share, others: spent, account };
  });
}

type RunQuery = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

interface AccountRow {
  readonly cast_id: string;
  readonly epoch: number;
  readonly turn: ItemAccount;
  readonly open: boolean;
  /** True if the item has ended: its account does not change any more. */
  readonly over: boolean;
}

const EMPTY_ACCOUNT = { spent: NO_USAGE, largest: NO_USAGE, used: NO_USAGE, epoch: null, isKnown: false };

/** In one statement: an account that is settled between two reads would be missed. */
async function readAccounts(ask: RunQuery, { castId, parent, fork }: ItemBudgetContext) {
  const [found] = (await ask(ACCOUNTS_QUERY, [parent, fork, castId, JSON.stringify({ ...EMPTY_ACCOUNT, fork })])) as [
    { readonly share: SharedAllowance | null; readonly rows: readonly AccountRow[] } | undefined,
  ]; // as it is asked for
  const share: SharedAllowance = found?.share ?? { budget: {}, usage: NO_USAGE, largest: NO_USAGE };
  return { share, rows: found?.rows ?? [] };
}

/** Accounts of running items; `turn` of all others is null. */
const ACCOUNTS_QUERY = `
select (select shared -> $2 from materia.casts where cast_id = $1) as share, (
  select coalesce(jsonb_agg(jsonb_build_object('cast_id', cast_id, 'epoch', epoch, 'turn', coalesce(turn, $4),
    'open', coalesce((turn ->> 'epoch')::int = epoch and materia.is_driven(owner), false),
    'over', coalesce(turn ->> 'epoch' is null and turn is not null and owner is null and status in ('completed', 'not_satisfied'), false))), '[]')
  from materia.casts where cast_id = $3 or (parent = $1 and turn is not null and turn ->> 'fork' = $2)) as rows`;

/** An ended item never runs again: its account is added to the common one, so that the number of accounts stays small. */
async function settleFinishedItems(
  ask: RunQuery,
  { parent, fork }: ItemBudgetContext,
  { share, over }: { readonly share: SharedAllowance; readonly over: readonly AccountRow[] },
): Promise<void> {
  if (over.length === 0) return;
  const common = {
    usage: over.map(accountTotal).reduce(addUsage, share.usage),
    largest: over.map(({ turn }) => turn.largest).reduce(maxUsage, share.largest),
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

function accountTotal({ turn }: AccountRow): Usage {
  return addUsage(turn.spent, turn.used);
}

function runningAdmission(
  context: ItemBudgetContext,
  state: CastState,
  { share, account, ...entered }: AdmittedTurn,
): TurnAdmission {
  const { database, castId, parent, budgets } = context;
  let { others } = entered;
  let used = NO_USAGE;
  const total = (usage: Usage): Usage => addUsage(addUsage(others, state.usage), usage);
  const look = async (): Promise<void> => {
    const now = await readAccounts((text, values) => database.query({ text, values }), context);
    others = now.rows
      .filter((row) => row.cast_id !== castId)
      .map(accountTotal)
      .reduce(addUsage, now.share.usage);
  };
  const isShared = hasBudgetLimit(share.budget);
  const stop = isShared ? budgets.on(parent, () => void look().catch(() => undefined)) : () => undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = (now: ItemAccount): void => {
    const text =
      "with c as (update materia.casts set turn = $2 where cast_id = $1) select pg_notify('materia_budgets', notice::text) from materia.casts where cast_id = $3";
    writing = writing
      .then(() => database.query({ text, values: [castId, JSON.stringify(now), parent] }))
      // The usage is in its journal soon, and is read from there before its next turn.
      .catch(() => undefined);
  };
  const own = addUsage(state.usage, state.item?.elsewhere ?? NO_USAGE);
  const isOut = isBudgetUsedUp(share.budget, total(NO_USAGE));
  return {
    usedElsewhere: isOut ? subtractUsage(total(NO_USAGE), own) : NO_USAGE,
    isBudgetSpent: (usage) => isBudgetUsedUp(share.budget, total(usage)),
    reportUsage: (usage) => {
      used = usage;
      if (isShared) write({ ...account, used });
    },
    end: () => {
      stop();
      const after = { spent: addUsage(account.spent, used), largest: maxUsage(account.largest, used) };
      write({ ...account, ...after, used: NO_USAGE, epoch: null, isKnown: true });
    },
  };
}
