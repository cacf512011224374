import { parallelRunNumber, parentCastId, type CastId } from "../../../core/model/ids.ts";
import type { FleetHooks } from "../../casting/drive/driver.ts";
import type { Notifications } from "../../store/postgres/database/news.ts";
import { createAdmission } from "./budget.ts";
import { createRemoteItems, type RemoteItemsContext } from "./items-elsewhere.ts";

/** [B12] Items go to whatever worker is free; what they share is kept in the database. */
export function createFleetHooks(place: RemoteItemsContext & { readonly budgets: Notifications }, castId: CastId): FleetHooks {
  const { database, budgets } = place;
  const [parent, fork] = [parentCastId(castId), parallelRunNumber(castId)];
  return parent === undefined || fork === undefined
    ? { items: (of) => createRemoteItems(place, of) }
    : { admit: createAdmission({ database, budgets, castId, parent, fork }) };
}
