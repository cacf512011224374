/** A `{{…}}` in a materia's prompt. */
export type TemplateVariable =
  | { readonly kind: "request" }
  | { readonly kind: "workItems" }
  /** What the item in hand has changed so far. */
  | { readonly kind: "changes" }
  | { readonly kind: "item"; readonly field: "title" | "context" }
  | { readonly kind: "state"; readonly path: readonly string[] }
  | { readonly kind: "unknown"; readonly name: string };

const VARIABLE_PATTERN = /\{\{\s*([^{}]*?)\s*\}\}/g;

export const VARIABLE_NAMES = ["request", "item.title", "item.context", "state.path", "workItems", "changes"];

export function parseVariables(prompt: string): readonly TemplateVariable[] {
  return [...prompt.matchAll(VARIABLE_PATTERN)].map((match) => parseVariable(match[1] ?? ""));
}

/** Every variable replaced by what `parseValue` says; a value is never searched for variables again. */
export function fillTemplate(prompt: string, valueOf: (variable: TemplateVariable) => string): string {
  return prompt.replace(VARIABLE_PATTERN, (_whole, name: string) => valueOf(parseVariable(name)));
}

function parseVariable(name: string): TemplateVariable {
  if (name === "request" || name === "workItems" || name === "changes") return { kind: name };
  if (name === "item.title") return { kind: "item", field: "title" };
  if (name === "item.context") return { kind: "item", field: "context" };
  if (/^state(\.[\w-]+)+$/.test(name)) return { kind: "state", path: name.split(".").slice(1) };
  return { kind: "unknown", name };
}
