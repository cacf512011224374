import * as v from "valibot";
import type { TargetRef } from "../../../core/command/command.ts";
import type { TargetChain } from "../../../core/edit/target-chain.ts";
import {
  startHistory,
  redo,
  undo,
  recordStep,
  type UndoHistory,
  StoredHistory,
  serializeHistory,
  restoreHistory,
} from "../../../core/edit/undo-history.ts";
import { createDraftStore } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";

const EMPTY_CHAIN: TargetChain = { targets: [], from: null, request: "" };
const EMPTY_HISTORY = startHistory(EMPTY_CHAIN);
const STORE_KEY = "chain";

const StoredChain = v.object({
  targets: v.array(v.object({ kind: v.picklist(["materia", "loadout", "either"]), name: v.string() })),
  from: v.nullable(v.string()),
  request: v.string(),
});

/** [E23] The unsaved chain with its undo history; it survives the page. */
const chainStore = createDraftStore<UndoHistory<TargetChain>>("link", {
  write: (history) => (history.past.length === 0 ? null : serializeHistory(history, (chain) => JSON.stringify(chain))),
  read: (_name, kept) =>
    restoreHistory(
      v.parse(StoredHistory, kept),
      (text) => v.parse(StoredChain, JSON.parse(text)) satisfies TargetChain,
    ),
});

export function useChain(): TargetChain {
  return useChainHistory().present;
}

export function useChainHistory(): UndoHistory<TargetChain> {
  return useStore(chainStore).get(STORE_KEY) ?? EMPTY_HISTORY;
}

function currentHistory(): UndoHistory<TargetChain> {
  return chainStore.get().get(STORE_KEY) ?? EMPTY_HISTORY;
}

/** Records one undo step; typing into one field is one step. */
export function setChain(part: Partial<TargetChain>, what: string, kind?: string): void {
  const history = currentHistory();
  chainStore.put(STORE_KEY, recordStep(history, { ...history.present, ...part }, what, kind));
}

export function undoChain(): void {
  chainStore.put(STORE_KEY, undo(currentHistory()));
}

export function redoChain(): void {
  chainStore.put(STORE_KEY, redo(currentHistory()));
}

export function addTarget(target: TargetRef): void {
  setChain({ targets: [...currentHistory().present.targets, target] }, `Add ${target.name}`);
}

export function removeTarget(index: number): void {
  const { targets } = currentHistory().present;
  setChain({ targets: targets.toSpliced(index, 1) }, `Remove ${targets[index]?.name ?? ""}`);
}

export function moveTarget(from: number, to: number): boolean {
  const { targets } = currentHistory().present;
  const target = targets[from];
  if (!target || to < 0 || to >= targets.length) return false;
  setChain({ targets: targets.toSpliced(from, 1).toSpliced(to, 0, target) }, `Move ${target.name}`);
  return true;
}
