import * as v from "valibot";
import type { Bill } from "../../../core/view/graph/bill.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";
import { useCommandOutput } from "./use-command.ts";

const BillsOutput = v.object({ bills: v.array(v.custom<Bill>((bill) => typeof bill === "object")) });

/** [YD1] The bill of a loadout as on the command line, with past casts as its basis. `draft` has what is not saved. */
export function useBill(loadout: string | null, draft: ConfigDraft | null, items?: number): Bill | undefined {
  const asked = { strict: false, bill: true as const, loadout: loadout ?? "", ...withoutUndefined({ items }) };
  const command = { kind: "check" as const, ...asked };
  const { value } = useCommandOutput(loadout === null ? null : { command, draft: draft ?? undefined }, BillsOutput);
  return value?.bills[0];
}
