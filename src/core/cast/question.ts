import { materiaOf, socketOf } from "../compile/graph.ts";
import type { PersonMateria } from "../model/materia.ts";
import { truncate } from "../model/values/text.ts";
import { fillFromState } from "./words/fill.ts";
import { workItemsText } from "./words/items-text.ts";
import type { CastState } from "./state/state.ts";

/** The materia of the person whose yes or no a cast waits for, or waited for when it was stopped. */
export function askedPersonMateria({ phase, graph }: Pick<CastState, "phase" | "graph">): PersonMateria | undefined {
  const stood = phase.kind === "ended" || phase.kind === "failing" ? phase.before : phase;
  if (stood.kind !== "waiting") return undefined;
  const materia = materiaOf(graph, socketOf(graph, stood.visit.socket));
  return materia.type === "person" ? materia : undefined;
}

const MAX_QUESTION_TEXT = 20_000;
const MAX_HANDOFF_TEXT = 6_000;

/** [Q5] What a person is asked, with what they are to judge: the words and the list that the socket before handed on. */
export function questionText(state: CastState, { question }: PersonMateria): string {
  const { handed, pass } = state;
  const asked = truncate(fillFromState(state, question).trim(), MAX_QUESTION_TEXT);
  if (!handed) return asked;
  const said = truncate(handed.text.trim(), MAX_HANDOFF_TEXT);
  const list = handed.workItems && handed.workItems !== pass?.items ? workItemsText(handed.workItems) : "";
  const shown = [said, list].filter((each) => each !== "").join("\n\n");
  return shown === "" ? asked : `${asked}\n\n${handed.materia} (${handed.socket}) said:\n${shown}`;
}
