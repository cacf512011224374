import { useSyncExternalStore } from "react";
import type { TargetRef } from "../../../../../core/command/command.ts";
import type { Chain } from "../../../../../core/edit/chain.ts";

/** The chain in hand; it outlives the page. */
let chain: Chain = { targets: [], from: null, request: "" };
const listeners = new Set<() => void>();

export function useChain(): Chain {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => chain,
  );
}

export function setChain(part: Partial<Chain>): void {
  chain = { ...chain, ...part };
  for (const listener of listeners) listener();
}

export function addTarget(target: TargetRef): void {
  setChain({ targets: [...chain.targets, target] });
}

export function removeTarget(index: number): void {
  setChain({ targets: chain.targets.toSpliced(index, 1) });
}

export function moveTarget(from: number, to: number): boolean {
  const target = chain.targets[from];
  if (!target || to < 0 || to >= chain.targets.length) return false;
  setChain({ targets: chain.targets.toSpliced(from, 1).toSpliced(to, 0, target) });
  return true;
}
