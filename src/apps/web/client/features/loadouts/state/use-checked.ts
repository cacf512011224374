import { useDeferredValue, useMemo } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { checkTarget } from "../../../../../../core/compile/targets/compile.ts";
import type { Graph } from "../../../../../../core/compile/graph.ts";
import { worstCase } from "../../../../../../core/compile/weigh/worst-case.ts";
import { mendFor, type Known, type Mend } from "../../../../../../core/edit/mend.ts";
import { placeOfIssue, shortPath, type ProblemPlace } from "../../../../../../core/edit/problem.ts";
import { entryOf, type LoadoutDraft } from "../../../../../../core/edit/text/draft.ts";
import { isError, pathText, type Issue } from "../../../../../../core/model/issue.ts";
import { isGenerator } from "../../../../../../core/model/materia.ts";
import { exampleOf, worstWords } from "../../../data/worst-case.ts";

/** A problem with its place in the drawing and, where there is one, the click that mends it. */
export interface Problem {
  readonly key: string;
  readonly issue: Issue;
  readonly place: ProblemPlace;
  readonly path: string;
  /** The edges and exits that it makes red. */
  readonly ways: readonly string[];
  readonly mend: Mend | undefined;
}

export interface Checked {
  readonly graph: Graph;
  readonly problems: readonly Problem[];
  readonly worst: { readonly words: string; readonly example: string | null } | null;
}

/** The same check as the command line, anew with every edit. */
export function useChecked(name: string, draft: LoadoutDraft, catalog: Catalog): Checked {
  const shown = useDeferredValue(draft);
  return useMemo(() => checkDraft(name, shown, catalog), [name, shown, catalog]);
}

function checkDraft(name: string, draft: LoadoutDraft, catalog: Catalog): Checked {
  const { loadout } = draft;
  const checked = checkTarget({ kind: "loadout", name, entry: entryOf(name, draft) }, catalog, 1);
  const known = knownIn(catalog);
  const problems = checked.issues.map((issue, index): Problem => {
    const place = placeOfIssue(issue, name, loadout);
    const mend = mendFor(issue, place, loadout, known);
    const key = `${index} ${issue.code} ${pathText(issue.path)}`;
    return { key, issue, place, path: shortPath(issue, name), ways: wayIn(place), mend };
  });
  const sound = checked.flow && !checked.issues.some(isError);
  const worst = sound ? worstCase(checked.graph, checked.flow, catalog.settings.limits).turns : undefined;
  return {
    graph: checked.graph,
    // Errors first: they are what stops a cast.
    problems: onceEach(problems).toSorted((a, b) => Number(isError(b.issue)) - Number(isError(a.issue))),
    worst: worst === undefined ? null : { words: worstWords(worst), example: exampleOf(worst) },
  };
}

/** Two edges with one fault and one mend are one problem to a person; each edge is still marked. */
function onceEach(problems: readonly Problem[]): readonly Problem[] {
  const alike = (a: Problem, b: Problem): boolean =>
    a.issue.code === b.issue.code && a.mend !== undefined && a.mend.label === b.mend?.label && sameSocket(a, b);
  return problems.flatMap((problem, index) => {
    if (problems.slice(0, index).some((other) => alike(other, problem))) return [];
    const others = problems.filter((other) => other === problem || alike(other, problem));
    return [{ ...problem, ways: others.flatMap(({ place }) => wayIn(place)) }];
  });
}

function sameSocket({ place: a }: Problem, { place: b }: Problem): boolean {
  return a.kind === "socket" && b.kind === "socket" && a.id === b.id;
}

function wayIn(place: ProblemPlace): readonly string[] {
  return place.kind === "loadout" || place.way === null ? [] : [place.way];
}

export function knownIn(catalog: Catalog): Known {
  return {
    materia: [...catalog.materia.keys()],
    isGenerator: (name) => {
      const own = catalog.materia.get(name)?.value;
      return own !== undefined && isGenerator(own);
    },
  };
}
