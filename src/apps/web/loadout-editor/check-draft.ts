import { useDeferredValue, useMemo } from "react";
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
import { catalogEntryOf, type LoadoutDraft } from "../../../core/edit/loadout-draft.ts";
import { isError, pathText, type Issue } from "../../../core/model/issue.ts";
import { isGenerator } from "../../../core/model/materia.ts";
import { worstCaseExample, worstCaseText } from "../../../core/view/graph/labels.ts";
import type { GraphPart } from "../graph/graph-marks.ts";

/** A problem with its part of the graph and its quick fix. */
export interface LoadoutProblem {
  readonly key: string;
  readonly issue: Issue;
  readonly place: IssuePlace;
  readonly path: string;
  /** The edges and exits to mark. */
  readonly ways: readonly string[];
  readonly quickFix: QuickFix | undefined;
}

export type CheckedDraft = ReturnType<typeof checkDraft>;

/** Checks the draft after every edit, as the command line does. */
export function useCheckedDraft(name: string, draft: LoadoutDraft, catalog: Catalog): CheckedDraft {
  const shown = useDeferredValue(draft);
  return useMemo(() => checkDraft(name, shown, catalog), [name, shown, catalog]);
}

function checkDraft(name: string, draft: LoadoutDraft, catalog: Catalog) {
  const { loadout } = draft;
  const checked = checkTarget({ kind: "loadout", name, entry: catalogEntryOf(name, draft) }, catalog, 1);
  const known = knownMateria(catalog);
  const problems = checked.issues.map((issue, index): LoadoutProblem => {
    const place = placeOfIssue(issue, name, loadout);
    const quickFix = quickFixFor(issue, place, loadout, known);
    const key = `${index} ${issue.code} ${pathText(issue.path)}`;
    return { key, issue, place, path: shortIssuePath(issue, name), ways: edgeIdsOf(place), quickFix };
  });
  const sound = checked.flow && !checked.issues.some(isError);
  const worst = sound ? worstCase(checked.graph, checked.flow, catalog.settings.limits) : null;
  return {
    graph: checked.graph,
    // Errors first: only they stop a cast.
    problems: mergeAlikeProblems(problems).toSorted((a, b) => Number(isError(b.issue)) - Number(isError(a.issue))),
    worst: worst && { words: worstCaseText(checked.graph, worst), example: worstCaseExample(worst) },
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

function edgeIdsOf(place: IssuePlace): readonly string[] {
  return place.kind === "loadout" || place.way === null ? [] : [place.way];
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

/** The part of the graph that a problem is about. */
export function graphPartOf({ place }: LoadoutProblem): GraphPart | null {
  if (place.kind === "loadout") return null;
  if (place.way !== null) return { kind: "edge", id: place.way };
  return { kind: place.kind, id: place.id };
}
