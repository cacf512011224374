import type { ReactElement } from "react";
import { THINKING_LEVELS } from "../../../../../../core/model/materia.ts";
import { toolsInScope } from "../../../../../../core/model/tools.ts";
import { Select, TextField } from "../../../parts/controls/fields.tsx";
import { FormField, stringOr } from "./form-option.tsx";
import { WordListField } from "./words-field.tsx";
import { setMateriaField, type OpenMateriaDraft } from "../state/state.ts";

/** What only an agent has. */
export function AgentFields({ work }: { readonly work: OpenMateriaDraft }): ReactElement {
  const { name, history } = work;
  const { raw } = history.present;
  return (
    <>
      <ToolsField work={work} />
      <FormField label="Model">
        <TextField
          label="Model"
          mono
          value={stringOr(raw["model"], "")}
          placeholder="the cast's model"
          onType={(text) => setMateriaField(name, "model", text === "" ? null : text, "model")}
        />
      </FormField>
      <FormField label="Thinking">
        <Select
          label="Thinking"
          value={stringOr(raw["thinking"], "")}
          options={[
            { value: "", label: "the cast's own" },
            ...THINKING_LEVELS.map((level) => ({ value: level, label: level })),
          ]}
          onPick={(level) => setMateriaField(name, "thinking", level === "" ? null : level)}
        />
      </FormField>
    </>
  );
}

const TOOL_SCOPES = ["none", "readOnly", "coding"] as const;

function ToolsField({ work }: { readonly work: OpenMateriaDraft }): ReactElement {
  const { name, history } = work;
  const { raw } = history.present;
  const scope = typeof raw["tools"] === "object" && raw["tools"] !== null ? "custom" : stringOr(raw["tools"], "none");
  const custom =
    scope === "custom" && raw["tools"] !== null && typeof raw["tools"] === "object" && "tools" in raw["tools"]
      ? raw["tools"].tools
      : [];
  const list = Array.isArray(custom) ? custom.map(String) : [];
  const typed = (tools: readonly string[]): void => setMateriaField(name, "tools", { type: "custom", tools }, "tools");
  return (
    <FormField label="Tools">
      <Select
        label="Tools"
        value={scope}
        options={[
          ...TOOL_SCOPES.map((each) => ({
            value: each,
            label: [each, toolsInScope(each).join(", ")].filter(Boolean).join(": "),
          })),
          { value: "custom", label: "custom" },
        ]}
        onPick={(next) => setMateriaField(name, "tools", next === "custom" ? { type: "custom", tools: ["read"] } : next)}
      />
      {scope === "custom" && <WordListField label="Tools by name" value={list} onChange={typed} />}
    </FormField>
  );
}
