/** A `{{…}}` in a materia's prompt. */
export type Variable =
  | { readonly kind: "request" }
  | { readonly kind: "workItems" }
  /** What the item in hand has changed so far. */
  | { readonly kind: "changes" }
  | { readonly kind: "item"; readonly field: "title" | "context" }
  | { readonly kind: "state"; readonly path: readonly string[] }
  | { readonly kind: "unknown"; readonly name: string };

const PATTERN = /\{\{\s*([^{}]*?)\s*\}\}/g;

export const VARIABLE_NAMES = ["request", "item.title", "item.context", "state.path", "workItems", "changes"];

export function variablesOf(prompt: string): readonly Variable[] {
  return [...prompt.matchAll(PATTERN)].map((match) => parseVariable(match[1] ?? ""));
}

/** Every variable replaced by what `valueOf` says; a value is never searched for variables again. */
export function fillTemplate(prompt: string, valueOf: (variable: Variable) => string): string {
  return prompt.replace(PATTERN, (_whole, name: string) => valueOf(parseVariable(name)));
}

function parseVariable(name: string): Variable {
  if (name === "request" || name === "workItems" || name === "changes") return { kind: name };
  if (name === "item.title") return { kind: "item", field: "title" };
  if (name === "item.context") return { kind: "item", field: "context" };
  if (/^state(\.[\w-]+)+$/.test(name)) return { kind: "state", path: name.split(".").slice(1) };
  return { kind: "unknown", name };
}
