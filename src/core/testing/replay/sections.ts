import { oneLine } from "../../model/values/text.ts";
import type { AgentPrompt } from "../../prompt/turn.ts";

/** A part of what an agent is told that is not what it was. */
export interface ChangedSection {
  readonly name: string;
  readonly was: string;
  readonly is: string;
}

const INSTRUCTIONS = "Instructions";

/** Which sections differ, and the first line of each that does. */
export function changedSections(before: AgentPrompt, after: AgentPrompt): readonly ChangedSection[] {
  if (before.system === after.system && before.prompt === after.prompt) return [];
  const [old, now] = [sectionsOf(before), sectionsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name) ?? "", now.get(name) ?? ""];
    return was === is ? [] : [{ name, ...firstDifference(was, is) }];
  });
}

function sectionsOf({ system, prompt }: AgentPrompt): ReadonlyMap<string, string> {
  return new Map([...splitSections(system, INSTRUCTIONS), ...splitSections(prompt, "Prompt")]);
}

/** Headings stand alone on their line with an empty one behind them, as prompts are written. */
function splitSections(text: string, first: string): readonly (readonly [string, string])[] {
  const [head = "", ...rest] = text.split(/(?:^|\n\n)## (?=[^\n]+\n\n)/);
  const sections = rest.map((part): readonly [string, string] => {
    const end = part.indexOf("\n");
    return [part.slice(0, end), part.slice(end).trim()];
  });
  return [...(head.trim() === "" ? [] : [[first, head.trim()] as const]), ...sections];
}

function firstDifference(was: string, is: string): { readonly was: string; readonly is: string } {
  const [old, now] = [was.split("\n"), is.split("\n")];
  const at = old.findIndex((line, index) => line !== now[index]);
  const line = at === -1 ? old.length : at;
  return { was: oneLine(old[line] ?? "", 160), is: oneLine(now[line] ?? "", 160) };
}
