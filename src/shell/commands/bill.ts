import type { TargetRef } from "../../core/command/command.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { billSettings, makeBill, type Bill } from "../../core/view/graph/bill.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { loadPastCasts } from "./forecast.ts";

/** [YD1] The bill of a chain in its project. */
async function billFor(
  { catalog, store }: Pick<Workspace, "catalog" | "store">,
  targets: readonly TargetRef[],
): Promise<Result<Bill>> {
  const compiled = compileTargets(targets, catalog);
  if (!compiled.ok) return compiled;
  const past = await loadPastCasts(store);
  const { graph, flow } = compiled.value;
  // Without history the bill uses typical sizes.
  return ok(makeBill({ graph, flow, past: past.ok ? past.value.casts : [], ...billSettings(catalog.settings) }));
}

export async function activeBill(workspace: Workspace, loadout: string | undefined): Promise<Bill | undefined> {
  const name = loadout ?? workspace.catalog.settings.activeLoadout.value;
  const bill = await billFor(workspace, [{ kind: "loadout", name }]);
  return bill.ok ? bill.value : undefined;
}
