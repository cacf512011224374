import * as v from "valibot";
import { isJsonObject, type JsonObject } from "./json.ts";
import { described, nonEmptyText, setting, wholeNumber } from "./schemas.ts";

export const ParseMode = described(
  v.picklist(["json", "text"]),
  "How the output is read: json for a handoff object, text for plain words.",
);
export type ParseMode = v.InferOutput<typeof ParseMode>;

export const AssignMap = described(
  v.record(v.string(), v.string()),
  "State to set after a visit: target path → source ($.field of the output, state.path, item.path).",
);
export type AssignMap = v.InferOutput<typeof AssignMap>;

export const ToolScope = described(
  v.union([
    v.picklist(["none", "readOnly", "coding"]),
    v.object({ type: v.literal("custom"), tools: v.array(v.pipe(v.string(), v.minLength(1))) }),
  ]),
  "Which tools the agent has: none, readOnly, coding, or a custom list, which in Pi may name tools of other extensions.",
);
export type ToolScope = v.InferOutput<typeof ToolScope>;

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const ThinkingLevel = described(
  v.picklist(THINKING_LEVELS),
  "How hard the model thinks; without it as the session in Pi does, elsewhere as Pi's settings say.",
);
export type ThinkingLevel = v.InferOutput<typeof ThinkingLevel>;

export const ConversationScope = described(
  v.picklist(["fresh", "item"]),
  "item: a visit for the same item continues its conversation when the work was sent back. fresh (default): every visit starts anew.",
);
export type ConversationScope = v.InferOutput<typeof ConversationScope>;

export const HandoffMode = described(
  v.picklist(["text", "tool", "auto"]),
  "How the handoff is given: text (default) as JSON in the reply, tool by a call of hand_over, auto either way.",
);
export type HandoffMode = v.InferOutput<typeof HandoffMode>;

const displayEntries = {
  extends: setting(v.string(), "Another materia whose keys hold where this one says nothing; one level deep."),
  label: setting(v.string(), "The name people see, where it differs from the key."),
  description: setting(v.string(), "One sentence on what it is for."),
  group: setting(v.string(), "Where it stands in the palette."),
  color: setting(v.string(), "A palette name (leaf, lagoon, azure, violet, rose, ember, gold, slate) or a CSS colour."),
};

const commonEntries = {
  ...displayEntries,
  parse: v.optional(ParseMode),
  generator: setting(v.boolean(), "It produces the work items that a loop consumes."),
  assign: v.optional(AssignMap),
};

/** [Z8] Models in order of preference; read as one text with commas. */
export const ModelList = v.pipe(
  v.union([nonEmptyText, v.pipe(v.array(v.string()), v.minLength(1, "is empty"))]),
  v.check((value) => isModelList(splitModels(value)), "must be model names with commas between, none empty or twice"),
  v.description(
    "provider/id, or a list: the next one takes over when a provider refuses. Without it the cast's model.",
  ),
  v.transform((value) => splitModels(value).join(",")),
);

/** The models of a list, which may be written with commas. */
export function splitModels(value: string | readonly string[]): readonly string[] {
  return (typeof value === "string" ? value.split(",") : value).map((name) => name.trim());
}

function isModelList(names: readonly string[]): boolean {
  const areNames = names.length > 0 && names.every((name) => name !== "" && !name.includes(","));
  return areNames && new Set(names).size === names.length;
}

const nameList = v.array(nonEmptyText);

export const AgentMateria = v.object({
  type: v.optional(v.literal("agent", 'must be "agent", "utility" or "person"'), "agent"),
  ...commonEntries,
  prompt: described(nonEmptyText, "The agent's instructions."),
  tools: v.optional(ToolScope, "none"),
  model: v.optional(ModelList),
  notModelOf: setting(
    v.string(),
    "A materia whose model must not answer here, so that a judge is another model than the builder.",
  ),
  thinking: v.optional(ThinkingLevel),
  conversation: v.optional(ConversationScope),
  handoff: v.optional(HandoffMode),
  interactive: setting(v.boolean(), "A person refines the answer before the cast goes on."),
  instructions: setting(
    v.picklist(["project", "none"]),
    "Whether the prompt includes the project's instructions (AGENTS.md and what Pi loads for the folder). Default: none without tools, otherwise project.",
  ),
  maxTurnTokens: setting(wholeNumber(1), "Tokens after which one turn is stopped, at the end of a reply."),
  maxTurnMinutes: setting(
    v.pipe(v.number(), v.gtValue(0, "must be more than 0"), v.finite("must be finite")),
    "Minutes after which one turn is stopped, at the end of a reply.",
  ),
  skills: setting(
    nameList,
    "Skills that Pi finds for the folder, by exact name; the agent reads them, so it needs read or bash.",
  ),
  extensions: setting(
    nameList,
    "Extensions of Pi, by file or package name, that are loaded into the agent's session; `tools` may name their tools.",
  ),
  mcp: setting(
    nameList,
    "MCP servers of Pi's configuration, by name; the agent has all their tools, or those of mcp__… that `tools` names.",
  ),
  sandbox: setting(
    nonEmptyText,
    "A sandbox of the user's configuration that every program and file tool of the agent runs in.",
  ),
  multiTurn: setting(v.boolean(), "Another name for interactive."),
});
export type AgentMateria = v.InferOutput<typeof AgentMateria>;

export const UtilityMateria = v.object({
  type: v.literal("utility"),
  ...commonEntries,
  command: setting(v.pipe(v.array(v.string()), v.minLength(1, "is empty")), "Program and arguments; no shell."),
  script: setting(v.string(), "The name of a bundled utility."),
  params: v.optional(
    // A valibot record would drop a key such as `constructor`.
    described(v.custom<JsonObject>(isJsonObject, "must be an object"), "Handed to the program as it is."),
  ),
  timeoutMs: setting(wholeNumber(1), "How long it may run; 30000 without it."),
  env: setting(v.array(v.string()), "Environment variables it gets besides the usual four."),
  gate: setting(v.boolean(), "Its exit code is the answer: 0 is satisfied, anything else is not."),
  sandbox: setting(
    nonEmptyText,
    "A sandbox of the user's configuration, or \"none\". Without it the program runs in the sandbox of the cast's agents.",
  ),
  retries: setting(wholeNumber(0), "How often a run that failed is tried again; 0 without it."),
});
export type UtilityMateria = v.InferOutput<typeof UtilityMateria>;

export const PersonMateria = v.object({
  type: v.literal("person"),
  ...displayEntries,
  assign: v.optional(AssignMap),
  question: described(
    nonEmptyText,
    "What a person is asked; they answer yes or no. It may hold the variables of a prompt.",
  ),
});
export type PersonMateria = v.InferOutput<typeof PersonMateria>;

export const Materia = v.union([AgentMateria, UtilityMateria, PersonMateria]);
export type Materia = AgentMateria | UtilityMateria | PersonMateria;

export function isInteractive(materia: Materia): boolean {
  return materia.type === "agent" && (materia.interactive === true || materia.multiTurn === true);
}

/** [Q1, Q5] A gate answers yes or no with a reason: a command by its exit code, or a person. It has no reply to parse. */
export function isGate(materia: Materia): boolean {
  return materia.type === "person" || (materia.type === "utility" && materia.gate === true);
}

export function isGenerator(materia: Materia): boolean {
  return materia.type !== "person" && materia.generator === true;
}

/** [G1, Q3] How the output of a materia is parsed. A gate has no choice: its answer becomes a handoff. */
export function parseModeOf(materia: Materia, own?: ParseMode): ParseMode {
  if (materia.type === "person" || isGate(materia)) return "json";
  return own ?? materia.parse ?? (materia.generator === true ? "json" : "text");
}

export function canAnswerSatisfied(materia: Materia, own?: ParseMode): boolean {
  return !isGenerator(materia) && parseModeOf(materia, own) === "json";
}

export function templateOf(materia: Materia) {
  if (materia.type === "utility") return undefined;
  return materia.type === "agent"
    ? { key: "prompt" as const, text: materia.prompt }
    : { key: "question" as const, text: materia.question };
}

const READ_ONLY_TOOLS = ["read", "grep", "find", "ls"] as const;
/** Providers cache from the first tool on: a wider list begins with the narrower one. */
const CODING_TOOLS = [...READ_ONLY_TOOLS, "bash", "edit", "write"] as const;

export const KNOWN_TOOLS: readonly string[] = [...CODING_TOOLS, "powershell"];

/** Whether a call may change a file. Unknown tools count as writing. */
export function toolMayWrite(tool: string): boolean {
  return !READ_ONLY_TOOLS.some((name) => name === tool);
}

export function materiaMayWrite(materia: Materia): boolean {
  return materia.type === "utility" || (materia.type === "agent" && toolsInScope(materia.tools).some(toolMayWrite));
}

/** [YP2] The parts of Pi that an agent is given. */
export function equipmentOf({ skills, extensions, mcp }: AgentMateria) {
  return { skills, extensions, mcp };
}

/** [A5] The tools of a scope. `coding` includes `readOnly`: a wider scope must not remove a tool. */
export function toolsInScope(scope: ToolScope): readonly string[] {
  if (typeof scope === "object") return [...new Set(scope.tools)];
  return { none: [], readOnly: READ_ONLY_TOOLS, coding: CODING_TOOLS }[scope];
}

export type TemplateVariable =
  | { readonly kind: (typeof PLAIN_VARIABLES)[number] }
  | { readonly kind: "item"; readonly field: "title" | "context" }
  | { readonly kind: "state"; readonly path: readonly string[] }
  | { readonly kind: "unknown"; readonly name: string };

const VARIABLE_PATTERN = /\{\{\s*([^{}]*?)\s*\}\}/g;

const PLAIN_VARIABLES = ["request", "workItems", "changes", "versionControl"] as const;
export const VARIABLE_NAMES = ["request", "item.title", "item.context", "state.path", ...PLAIN_VARIABLES.slice(1)];

export function parseVariables(prompt: string): readonly TemplateVariable[] {
  return [...prompt.matchAll(VARIABLE_PATTERN)].map((match) => parseVariable(match[1] ?? ""));
}

/** Replaces every variable. A value is not searched for variables again. */
export function fillTemplate(prompt: string, valueOf: (variable: TemplateVariable) => string): string {
  return prompt.replace(VARIABLE_PATTERN, (_whole, name: string) => valueOf(parseVariable(name)));
}

function parseVariable(name: string): TemplateVariable {
  const kind = PLAIN_VARIABLES.find((plain) => plain === name);
  if (kind) return { kind };
  if (name === "item.title") return { kind: "item", field: "title" };
  if (name === "item.context") return { kind: "item", field: "context" };
  if (/^state(\.[\w-]+)+$/.test(name)) return { kind: "state", path: name.split(".").slice(1) };
  return { kind: "unknown", name };
}
