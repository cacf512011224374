import type { TargetRef } from "../../../../../core/command/command.ts";
import type { Chain } from "../../../../../core/edit/chain.ts";
import { openStore, useStore } from "../../browser/store.ts";

/** The chain in hand; it outlives the page. */
const chain = openStore<Chain>({ targets: [], from: null, request: "" });

export function useChain(): Chain {
  return useStore(chain);
}

export function setChain(part: Partial<Chain>): void {
  chain.set({ ...chain.get(), ...part });
}

export function addTarget(target: TargetRef): void {
  setChain({ targets: [...chain.get().targets, target] });
}

export function removeTarget(index: number): void {
  setChain({ targets: chain.get().targets.toSpliced(index, 1) });
}

export function moveTarget(from: number, to: number): boolean {
  const { targets } = chain.get();
  const target = targets[from];
  if (!target || to < 0 || to >= targets.length) return false;
  setChain({ targets: targets.toSpliced(from, 1).toSpliced(to, 0, target) });
  return true;
}
