import { forkOf, parentOf, type CastId } from "../../../core/model/ids.ts";
import type { Travels } from "../../casting/drive/driver.ts";
import type { News } from "../../store/postgres/database/news.ts";
import { openAdmission } from "./budget.ts";
import { itemsElsewhere, type ElsewherePlace } from "./items-elsewhere.ts";

/** [B12] Items go to whatever worker is free; what they share is kept in the database. */
export function travelsOf(place: ElsewherePlace & { readonly budgets: News }, castId: CastId): Travels {
  const { database, budgets } = place;
  const [parent, fork] = [parentOf(castId), forkOf(castId)];
  return parent === undefined || fork === undefined
    ? { items: (of) => itemsElsewhere(place, of) }
    : { admit: openAdmission({ database, budgets, castId, parent, fork }) };
}
