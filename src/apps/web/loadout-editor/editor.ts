import { createContext, useContext, useDeferredValue, useMemo, useState } from "react";
import { type LoadoutEdit, EMPTY_LOADOUT } from "../../../core/edit/loadout-edit.ts";
import {
  applyGraphEdit,
  applyTextEdit,
  draftFromLoadout,
  draftFromText,
  type LoadoutDraft,
  type MateriaText,
  catalogEntryOf,
} from "../../../core/edit/loadout-draft.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import { toast } from "../ui/toasts.tsx";
import {
  undoEntryStep,
  redoEntryStep,
  createEntryDrafts,
  newEntryDraft,
  type EntryDraft,
  type EntryDrafts,
} from "../data/entry-drafts.ts";
import { parseJsonc } from "../../../core/edit/json-edit.ts";
import { endStepGroup, recordStep } from "../../../core/edit/undo-history.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";

import type { Catalog } from "../../../core/catalog/catalog.ts";
import { checkTarget } from "../../../core/compile/targets/compile.ts";
import { worstCase } from "../../../core/compile/worst-case.ts";
import {
  quickFixFor,
  type KnownMateria,
  type QuickFix,
  placeOfIssue,
  shortIssuePath,
  type IssuePlace,
} from "../../../core/edit/quick-fix.ts";
import { isError, pathText, type Issue } from "../../../core/model/issue.ts";
import { isGenerator } from "../../../core/model/materia.ts";
import { worstCaseExample, worstCaseText } from "../../../core/view/graph/labels.ts";
import type { GraphPart } from "../graph/graph-marks.ts";

export type Editor = ReturnType<typeof useEditorState>;

const EditorContext = createContext<Editor | null>(null);

export const EditorProvider = EditorContext.Provider;

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("a part of the editor stands outside of it");
  return editor;
}

export function useEditorState(draft: OpenLoadoutDraft, catalog: Catalog) {
  const { name, history, layer } = draft;
  const content = history.present;
  const shown = useDeferredValue(content);
  // After every edit, as the command line does.
  const checked = useMemo(() => checkDraft(name, shown, catalog), [name, shown, catalog]);
  const [selected, setSelected] = useState<readonly GraphPart[]>([]);
  const source = catalog.loadouts.get(name)?.layer ?? "bundled";
  /** Why the loadout is read-only; null if it is editable. */
  const readOnly = layer === null ? `${name} is ${source} and read-only. Duplicate it to change it.` : null;
  return useMemo(() => {
    /** Applies one undo step; null after a refusal, which a notice shows. */
    const apply = (what: string, edit: LoadoutEdit, kind?: string): Loadout | null => {
      const result = readOnly === null ? edit(content.loadout) : null;
      if (result?.ok) {
        changeLoadoutDraft(name, applyGraphEdit(content, name, result.value), what, kind);
        return result.value;
      }
      const [issue] = result?.issues ?? [];
      const hint = issue?.hint === undefined ? "" : `; ${issue.hint}`;
      toast({ text: readOnly ?? `Not possible: ${issue?.message ?? ""}${hint}.` });
      return null;
    };
    return {
      name,
      draft,
      loadout: content.loadout,
      catalog,
      checked,
      readOnly,
      selected: selected.filter((part) => partExists(part, content.loadout)),
      select: (...parts: readonly GraphPart[]): void => setSelected(parts),
      apply,
      /** [E26] Applies a removal, with Undo in its notice. */
      remove: (what: string, edit: LoadoutEdit): Loadout | null => {
        const removed = apply(what, edit);
        const text = `${what.replace(/^(Delete|Remove)\b/, (word) => `${word}d`)}.`;
        if (removed) toast({ text, action: { label: "Undo", act: () => undoIfLast(name, what) } });
        return removed;
      },
      type: (text: string): void =>
        changeLoadoutDraft(name, applyTextEdit(content, name, text), "Edit the JSON", "json"),
      undo: () => undoEntryStep(loadoutDrafts, name),
      redo: () => redoEntryStep(loadoutDrafts, name),
    };
  }, [name, draft, content, catalog, checked, readOnly, selected]);
}

/** A selected part may be gone after a removal or an undo. */
function partExists(part: GraphPart, loadout: Loadout): boolean {
  if (part.kind === "socket") return Object.hasOwn(loadout.sockets, part.id);
  if (part.kind === "loop") return Object.hasOwn(loadout.loops, part.id);
  return true;
}

export type OpenLoadoutDraft = EntryDraft<LoadoutDraft>;

export const loadoutDrafts: EntryDrafts<LoadoutDraft, Loadout> = createEntryDrafts<LoadoutDraft, Loadout>({
  kind: "loadout",
  section: "loadouts",
  entryOf: (catalog, name) => catalog.loadouts.get(name),
  fromText: (name, text, before) => (before ? applyTextEdit(before, name, text) : draftFromText(name, text)),
  fromValue: (name, value) => draftFromLoadout(name, value ?? EMPTY_LOADOUT),
  isDirty,
});

export function isDirty({ layer, history, filed, was }: OpenLoadoutDraft): boolean {
  return layer !== null && (was !== null || filed === null || history.present.text !== filed);
}

/** A new loadout: empty, a copy or an import. Only a save writes a file. */
export function createLoadoutDraft(
  name: string,
  draft: LoadoutDraft,
  { from = null, brings = [] }: { readonly from?: string | null; readonly brings?: readonly MateriaText[] } = {},
): void {
  const base = from === null ? draftFromLoadout(name, EMPTY_LOADOUT) : draft;
  loadoutDrafts.put(name, { ...newEntryDraft(name, draft), base, from, brings });
}

function changeLoadoutDraft(name: string, next: LoadoutDraft, what: string, kind?: string): void {
  loadoutDrafts.update(name, (draft) =>
    draft.layer === null ? draft : { ...draft, history: recordStep(draft.history, next, what, kind) },
  );
}

/** [E28] The unsaved content, to cast it; null when the file has the same. */
export function unsavedConfigOf(draft: OpenLoadoutDraft): ConfigDraft | null {
  if (!isDirty(draft)) return null;
  const read = (text: string): unknown => {
    const parsed = parseJsonc(text);
    return parsed.ok ? parsed.value.value : null;
  };
  return {
    loadouts: { [draft.name]: read(draft.history.present.text) },
    materia: Object.fromEntries(draft.brings.map(({ name, text }) => [name, read(text)])),
  };
}

/** Undoes this step unless another one followed. */
function undoIfLast(name: string, what: string): void {
  if (loadoutDrafts.get().get(name)?.history.past.at(-1)?.what === what) undoEntryStep(loadoutDrafts, name);
}

/** The next typed letter starts a new undo step. */
export function closeUndoStep(name: string): void {
  loadoutDrafts.update(name, (draft) => ({ ...draft, history: endStepGroup(draft.history) }));
}

/** Back to the content of the file. Undo brings the changes back. */
export function revertLoadoutDraft(name: string): void {
  const filed = loadoutDrafts.get().get(name)?.filed ?? null;
  if (filed !== null) changeLoadoutDraft(name, draftFromText(name, filed), "Discard the changes");
}

export interface LoadoutProblem {
  readonly key: string;
  readonly issue: Issue;
  readonly place: IssuePlace;
  readonly path: string;
  readonly ways: readonly string[];
  readonly quickFix: QuickFix | undefined;
}

export type CheckedDraft = ReturnType<typeof checkDraft>;

function checkDraft(name: string, draft: LoadoutDraft, catalog: Catalog) {
  const { loadout } = draft;
  const checked = checkTarget({ kind: "loadout", name, entry: catalogEntryOf(name, draft) }, catalog, 1);
  const known = knownMateria(catalog);
  const problems = checked.issues.map((issue, index): LoadoutProblem => {
    const place = placeOfIssue(issue, name, loadout);
    const quickFix = quickFixFor(issue, place, loadout, known);
    const key = `${index} ${issue.code} ${pathText(issue.path)}`;
    const ways = place.kind === "loadout" || place.way === null ? [] : [place.way];
    return { key, issue, place, path: shortIssuePath(issue, name), ways, quickFix };
  });
  const sound = checked.flow && !checked.issues.some(isError);
  const worst = sound ? worstCase(checked.graph, checked.flow, catalog.settings.limits) : null;
  return {
    graph: checked.graph,
    // Errors first: only they stop a cast.
    problems: mergeAlikeProblems(problems).toSorted((a, b) => Number(isError(b.issue)) - Number(isError(a.issue))),
    worst: worst && [worstCaseText(checked.graph, worst), worstCaseExample(worst) ?? []].flat().join(" · "),
  };
}

/** Joins problems of a socket with the same message and fix; every edge is still marked. */
function mergeAlikeProblems(problems: readonly LoadoutProblem[]): readonly LoadoutProblem[] {
  const groups = Map.groupBy(problems, ({ key, issue, place, quickFix }) =>
    quickFix && place.kind === "socket" ? [place.id, issue.code, quickFix.label].join("\n") : key,
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, ways: [first, ...others].flatMap(({ ways }) => ways) }] : [],
  );
}

export function knownMateria(catalog: Catalog): KnownMateria {
  return {
    materia: [...catalog.materia.keys()],
    isGenerator: (name) => {
      const own = catalog.materia.get(name)?.value;
      return own !== undefined && isGenerator(own);
    },
  };
}

export function graphPartOf({ place }: LoadoutProblem): GraphPart | null {
  if (place.kind === "loadout") return null;
  if (place.way !== null) return { kind: "edge", id: place.way };
  return { kind: place.kind, id: place.id };
}
