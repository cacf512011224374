import type { ReactElement } from "react";
import { THINKING_LEVELS } from "../../../../../../core/model/materia.ts";
import { toolsOf } from "../../../../../../core/model/tools.ts";
import { Pick, TextField } from "../../../parts/controls/fields.tsx";
import { FormOption, textOr } from "./form-option.tsx";
import { WordsField } from "./words-field.tsx";
import { setField, type MateriaWork } from "../state/state.ts";

/** What only an agent has. */
export function AgentOptions({ work }: { readonly work: MateriaWork }): ReactElement {
  const { name, history } = work;
  const { raw } = history.present;
  return (
    <>
      <ToolsOption work={work} />
      <FormOption label="Model">
        <TextField
          label="Model"
          mono
          value={textOr(raw["model"], "")}
          placeholder="the cast's model"
          onType={(text) => setField(name, "model", text === "" ? null : text, "model")}
        />
      </FormOption>
      <FormOption label="Thinking">
        <Pick
          label="Thinking"
          value={textOr(raw["thinking"], "")}
          options={[
            { value: "", label: "the cast's own" },
            ...THINKING_LEVELS.map((level) => ({ value: level, label: level })),
          ]}
          onPick={(level) => setField(name, "thinking", level === "" ? null : level)}
        />
      </FormOption>
    </>
  );
}

const SCOPES = ["none", "readOnly", "coding"] as const;

function ToolsOption({ work }: { readonly work: MateriaWork }): ReactElement {
  const { name, history } = work;
  const { raw } = history.present;
  const scope = typeof raw["tools"] === "object" && raw["tools"] !== null ? "custom" : textOr(raw["tools"], "none");
  const custom =
    scope === "custom" && raw["tools"] !== null && typeof raw["tools"] === "object" && "tools" in raw["tools"]
      ? raw["tools"].tools
      : [];
  const list = Array.isArray(custom) ? custom.map(String) : [];
  const typed = (tools: readonly string[]): void => setField(name, "tools", { type: "custom", tools }, "tools");
  return (
    <FormOption label="Tools">
      <Pick
        label="Tools"
        value={scope}
        options={[
          ...SCOPES.map((each) => ({
            value: each,
            label: [each, toolsOf(each).join(", ")].filter(Boolean).join(": "),
          })),
          { value: "custom", label: "custom" },
        ]}
        onPick={(next) => setField(name, "tools", next === "custom" ? { type: "custom", tools: ["read"] } : next)}
      />
      {scope === "custom" && <WordsField label="Tools by name" value={list} onChange={typed} />}
    </FormOption>
  );
}
