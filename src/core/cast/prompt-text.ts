import { materiaOf, socketOf } from "../compile/graph.ts";
import { type PersonMateria, fillTemplate, type TemplateVariable } from "../model/materia.ts";
import { truncate } from "../model/text.ts";
import type { CastState } from "./state/state.ts";
import { currentItem, visibleState } from "./state/current-item.ts";
import { type Json, valueAt } from "../model/json.ts";
import type { WorkItem } from "../model/handoff.ts";

export function askedPersonMateria({ phase, graph }: Pick<CastState, "phase" | "graph">): PersonMateria | undefined {
  const stood = phase.kind === "ended" || phase.kind === "failing" ? phase.before : phase;
  if (stood.kind !== "waiting") return undefined;
  const materia = materiaOf(graph, socketOf(graph, stood.visit.socket));
  return materia.type === "person" ? materia : undefined;
}

const MAX_QUESTION_TEXT = 20_000;
const MAX_HANDOFF_TEXT = 6_000;

/** [Q5] The question for a person, with the text and the list of the previous handoff. */
export function questionText(state: CastState, { question }: PersonMateria): string {
  const { handed, pass } = state;
  const filled = truncate(fillFromState(state, question).trim(), MAX_QUESTION_TEXT);
  const title = truncate(currentItem(state)?.title ?? "", VARIABLE_LIMITS.item);
  const asked = filled.includes(title) ? filled : `${filled}\n\nItem: ${title}`;
  if (!handed) return asked;
  const handoffText = truncate(handed.text.trim(), MAX_HANDOFF_TEXT);
  const list = handed.workItems && handed.workItems !== pass?.items ? workItemsText(handed.workItems) : "";
  const shown = [handoffText, list].filter((each) => each !== "").join("\n\n");
  return shown === "" ? asked : `${asked}\n\n${handed.materia} (${handed.socket}) said:\n${shown}`;
}

const VARIABLE_LIMITS = { request: 12_000, item: 6_000, list: 60_000, value: 40_000 } as const;

/** [P8] A prompt or question with its variables filled: other values than text as JSON, missing ones as nothing. */
export function fillFromState(state: CastState, template: string): string {
  return fillTemplate(template, (variable) => valueOf(state, variable));
}

function valueOf(state: CastState, variable: TemplateVariable): string {
  switch (variable.kind) {
    // [P11] Text that differs at every visit stands in the message: a cache can hold the rest.
    case "changes":
      return '(see "Changes so far" in the message)';
    case "versionControl":
      return '(see "Version control" in the message)';
    case "request":
      return truncate(state.request, VARIABLE_LIMITS.request);
    case "workItems":
      return valueText(valueAt(state.data, ["workItems"]), VARIABLE_LIMITS.list);
    case "item":
      return truncate(currentItem(state)?.[variable.field] ?? "", VARIABLE_LIMITS.item);
    case "state":
      return valueText(valueAt(visibleState(state), variable.path), VARIABLE_LIMITS.value);
    case "unknown":
      return "";
  }
}

function valueText(value: Json | undefined, limit: number): string {
  if (value === undefined) return "";
  return truncate(typeof value === "string" ? value : JSON.stringify(value, undefined, 1), limit);
}

const ITEM_TEXT_LIMITS = { title: 500, item: 6_000, list: 60_000 } as const;

export function workItemsText(items: readonly WorkItem[]): string {
  if (items.length === 0) return "Work items: none";
  const lines: string[] = [];
  let room: number = ITEM_TEXT_LIMITS.list;
  for (const [index, { title, context }] of items.entries()) {
    const line = `${index + 1}. ${truncate(title, ITEM_TEXT_LIMITS.title)}${context.trim() === "" ? "" : `\n   ${truncate(context.trim(), ITEM_TEXT_LIMITS.item)}`}`;
    if (line.length > room)
      return ["Work items:", ...lines, `… [cut: ${items.length - index} more work items]`].join("\n");
    lines.push(line);
    room -= line.length;
  }
  return ["Work items:", ...lines].join("\n");
}
