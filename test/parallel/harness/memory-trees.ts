import { createHash } from "node:crypto";
import type { ItemCastInput } from "../../../src/core/cast/state/parallel-run.ts";
import type { CastId } from "../../../src/core/model/ids.ts";
import type { MergeRequest, ItemWorktrees } from "../../../src/shell/item-ports.ts";

export type Files = Readonly<Record<string, string>>;

interface Commit {
  readonly files: Files;
  readonly parents: readonly string[];
}

/** Working trees and commits in memory: what git does for items, without git. */
export interface MemoryTrees extends ItemWorktrees {
  readonly edit: (cwd: string, edits: Files) => void;
  /** The person's own files. */
  readonly files: () => Files;
}

export function memoryTrees(first: Files): MemoryTrees {
  const commits = new Map<string, Commit>();
  const working = new Map<string, Files>();
  const commit = (files: Files, parents: readonly string[]): string => {
    const sorted = Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const id = createHash("sha1")
      .update(JSON.stringify([sorted, parents]))
      .digest("hex");
    commits.set(id, { files: sorted, parents });
    return id;
  };
  const filesAt = (id: string): Files => commits.get(id)?.files ?? {};
  let head = commit(first, []);
  let mine = first;
  const merge = ({ work, commit: theirs, tip }: MergeRequest) => {
    if (theirs === null) return { kind: "merged" as const, commit: tip };
    if (tip === work.base) return { kind: "merged" as const, commit: theirs };
    const [base, ours, other] = [filesAt(work.base), filesAt(tip), filesAt(theirs)];
    const names = [...new Set([...Object.keys(ours), ...Object.keys(other)])];
    const clashing = names.filter(
      (name) => ours[name] !== base[name] && other[name] !== base[name] && ours[name] !== other[name],
    );
    const taken = names.map((name) => [name, other[name] === base[name] ? ours[name] : other[name]]);
    const merged = Object.fromEntries(taken.filter(([, text]) => text !== undefined)) as Files; // texts are left
    if (clashing.length === 0) return { kind: "merged" as const, commit: commit(merged, [tip]) };
    const marked = Object.fromEntries(clashing.map((name) => [name, `<<<<<<< ${ours[name]} ======= ${other[name]}`]));
    const tree = commit({ ...merged, ...marked }, []);
    return {
      kind: "conflicted" as const,
      onto: tip,
      tree,
      files: clashing,
      reason: `cannot be merged: ${clashing.join(", ")}`,
    };
  };
  return {
    findBase: async () => {
      // As if every visit outside items had committed its work.
      if (!same(mine, filesAt(head))) head = commit(mine, [head]);
      return { kind: "forked", base: head };
    },
    prepare: async (child: CastId, { base, tree }: ItemCastInput, progress) => {
      if (progress === "not begun" || !working.has(child)) working.set(child, filesAt(tree ?? base));
      return { kind: "ready", cwd: child };
    },
    saveWork: async ({ child, window: { base } }) => {
      const files = working.get(child) ?? {};
      const id = commit(files, [base]);
      return { kind: "kept", commit: same(files, filesAt(base)) ? null : id };
    },
    merge: async (request) => merge(request),
    join: async ({ tip }) => {
      head = tip;
      mine = filesAt(tip);
      return { kind: "joined", commit: tip };
    },
    edit: (cwd, edits) => {
      if (cwd === "/project") mine = { ...mine, ...edits };
      else working.set(cwd, { ...working.get(cwd), ...edits });
    },
    files: () => mine,
  };
}

function same(a: Files, b: Files): boolean {
  const text = (files: Files): string => JSON.stringify(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return text(a) === text(b);
}
