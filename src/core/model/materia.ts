import * as v from "valibot";
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { wholeNumber } from "./number.ts";

const text = (description: string) => v.pipe(v.string(), v.description(description));

export const ParseMode = v.pipe(
  v.picklist(["json", "text"]),
  v.description("How the output is read: json for a handoff object, text for plain words."),
);
export type ParseMode = v.InferOutput<typeof ParseMode>;

export const Assign = v.pipe(
  v.record(v.string(), v.string()),
  v.description("State to set after a visit: target path → source ($.field of the output, state.path, item.path)."),
);
export type Assign = v.InferOutput<typeof Assign>;

export const ToolScope = v.pipe(
  v.union([
    v.picklist(["none", "readOnly", "coding"]),
    v.object({ type: v.literal("custom"), tools: v.array(v.pipe(v.string(), v.minLength(1))) }),
  ]),
  v.description("Which tools the agent has: none, readOnly, coding, or a custom list."),
);
export type ToolScope = v.InferOutput<typeof ToolScope>;

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const ThinkingLevel = v.pipe(v.picklist(THINKING_LEVELS), v.description("How hard the model thinks."));
export type ThinkingLevel = v.InferOutput<typeof ThinkingLevel>;

const common = {
  label: v.optional(text("The name people see, where it differs from the key.")),
  description: v.optional(text("One sentence on what it is for.")),
  group: v.optional(text("Where it stands in the palette.")),
  color: v.optional(text("A palette name (leaf, lagoon, azure, violet, rose, ember, gold, slate) or a CSS colour.")),
  parse: v.optional(ParseMode),
  generator: v.optional(v.pipe(v.boolean(), v.description("It produces the work items that a loop consumes."))),
  assign: v.optional(Assign),
};

export const AgentMateria = v.object({
  type: v.optional(v.literal("agent"), "agent"),
  ...common,
  prompt: v.pipe(v.string(), v.minLength(1, "is empty"), v.description("The agent's instructions.")),
  tools: v.optional(ToolScope, "none"),
  model: v.optional(text("provider/id; without it the cast's model.")),
  thinking: v.optional(ThinkingLevel),
  interactive: v.optional(v.pipe(v.boolean(), v.description("A person refines the answer before the cast goes on."))),
  multiTurn: v.optional(v.pipe(v.boolean(), v.description("Another name for interactive."))),
});
export type AgentMateria = v.InferOutput<typeof AgentMateria>;

export const UtilityMateria = v.object({
  type: v.literal("utility"),
  ...common,
  command: v.optional(
    v.pipe(v.array(v.string()), v.minLength(1, "is empty"), v.description("Program and arguments; no shell.")),
  ),
  script: v.optional(text("The name of a bundled utility.")),
  params: v.optional(
    // Not a record, which would leave out a key like `constructor`.
    v.pipe(v.custom<JsonObject>(isJsonObject, "must be an object"), v.description("Handed to the program as it is.")),
  ),
  timeoutMs: v.optional(v.pipe(wholeNumber(1), v.description("How long it may run; 30000 without it."))),
  env: v.optional(v.pipe(v.array(v.string()), v.description("Environment variables it gets besides the usual four."))),
});
export type UtilityMateria = v.InferOutput<typeof UtilityMateria>;

export const Materia = v.union([AgentMateria, UtilityMateria]);
export type Materia = AgentMateria | UtilityMateria;

export function isInteractive(materia: Materia): boolean {
  return materia.type === "agent" && (materia.interactive === true || materia.multiTurn === true);
}
