import * as v from "valibot";
import type { TargetRef } from "../../../../../core/command/command.ts";
import type { Chain } from "../../../../../core/edit/chain.ts";
import { historyOf, redo, undo, historyWith, type History } from "../../../../../core/edit/history.ts";
import { KeptHistory, keepHistory, readHistory } from "../../../../../core/edit/kept-history.ts";
import { openKept } from "../../browser/drafts/kept.ts";
import { useStore } from "../../browser/store.ts";

const EMPTY: Chain = { targets: [], from: null, request: "" };
const NONE = historyOf(EMPTY);
const NAME = "chain";

const KeptChain = v.object({
  targets: v.array(v.object({ kind: v.picklist(["materia", "loadout", "either"]), name: v.string() })),
  from: v.nullable(v.string()),
  request: v.string(),
});

/** [E23] The chain in hand; it outlives the page, with what was done to it. */
const chains = openKept<History<Chain>>("link", {
  write: (history) => (history.past.length === 0 ? null : keepHistory(history, (chain) => JSON.stringify(chain))),
  read: (_name, kept) =>
    readHistory(v.parse(KeptHistory, kept), (text) => v.parse(KeptChain, JSON.parse(text)) satisfies Chain),
});

export function useChain(): Chain {
  return useChainHistory().present;
}

export function useChainHistory(): History<Chain> {
  return useStore(chains).get(NAME) ?? NONE;
}

function historyNow(): History<Chain> {
  return chains.get().get(NAME) ?? NONE;
}

/** One step; letters typed into one field in a row are one. */
export function setChain(part: Partial<Chain>, what: string, kind?: string): void {
  const history = historyNow();
  chains.put(NAME, historyWith(history, { ...history.present, ...part }, what, kind));
}

export function undoChain(): void {
  chains.put(NAME, undo(historyNow()));
}

export function redoChain(): void {
  chains.put(NAME, redo(historyNow()));
}

export function addTarget(target: TargetRef): void {
  setChain({ targets: [...historyNow().present.targets, target] }, `Add ${target.name}`);
}

export function removeTarget(index: number): void {
  const { targets } = historyNow().present;
  setChain({ targets: targets.toSpliced(index, 1) }, `Remove ${targets[index]?.name ?? ""}`);
}

export function moveTarget(from: number, to: number): boolean {
  const { targets } = historyNow().present;
  const target = targets[from];
  if (!target || to < 0 || to >= targets.length) return false;
  setChain({ targets: targets.toSpliced(from, 1).toSpliced(to, 0, target) }, `Move ${target.name}`);
  return true;
}
