import { type ReactElement, useState, type ReactNode } from "react";
import { parseJsonc } from "../../../core/edit/json-edit.ts";
import { BUNDLED_SCRIPT_NAMES } from "../../../core/catalog/bundled-utilities.ts";
import type { Json } from "../../../core/model/json.ts";
import { useEquipment } from "../data/use-catalog.ts";
import { Select, TextField } from "../ui/fields.tsx";
import { setMateriaField, type OpenMateriaDraft } from "./materia-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import materiaSheet from "./materia.module.css";
import { THINKING_LEVELS, toolsInScope } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";

const css = bindSheets(materiaSheet);

/** The fields of a utility. */
export function UtilityFields({ draft }: { readonly draft: OpenMateriaDraft }): ReactElement {
  const { name, history } = draft;
  const { raw } = history.present;
  const isScript = raw["script"] !== undefined;
  const timeout = raw["timeoutMs"];
  return (
    <div className={css("form-options")}>
      <FormField label="Program" whole>
        {isScript ? (
          <Select
            label="Bundled utility"
            value={stringOr(raw["script"], "")}
            options={BUNDLED_SCRIPT_NAMES.map((each) => ({ value: each, label: each }))}
            onPick={(script) => setMateriaField(name, "script", script)}
          />
        ) : (
          <CommandFields
            value={raw["command"]}
            onChange={(words, kind) => setMateriaField(name, "command", words, kind)}
          />
        )}
      </FormField>
      <FormField label="Time-out in ms">
        <TextField
          label="Time-out in ms"
          numeric
          placeholder="30000"
          value={typeof timeout === "number" ? `${timeout}` : ""}
          onType={(text) => setMateriaField(name, "timeoutMs", text === "" ? null : Number(text), "timeout")}
        />
      </FormField>
      <FormField label="Environment">
        <WordListField
          label="Environment variables"
          placeholder="GIT_DIR, CI"
          value={Array.isArray(raw["env"]) ? raw["env"].map(String) : []}
          onChange={(names) => setMateriaField(name, "env", names.length === 0 ? null : names, "env")}
        />
      </FormField>
      <FormField label="Parameters">
        <JsonField
          label="Parameters"
          value={raw["params"] ?? {}}
          onChange={(params) => setMateriaField(name, "params", params, "params")}
        />
      </FormField>
    </div>
  );
}

/** A JSON field; invalid text stays in the field only. */
function JsonField(props: {
  readonly label: string;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
}): ReactElement {
  const { label, value, onChange } = props;
  const [text, setText] = useState(JSON.stringify(value));
  const read = parseJsonc(text);
  return (
    <TextField
      label={label}
      mono
      value={text}
      invalid={read.ok ? null : "This is not JSON"}
      onType={(next) => {
        setText(next);
        const parsed = parseJsonc(next);
        if (parsed.ok) onChange(parsed.value.value as Json); // a JSON parser returns JSON
      }}
    />
  );
}

/** The fields of an agent. */
export function AgentFields({ draft }: { readonly draft: OpenMateriaDraft }): ReactElement {
  const { name, history } = draft;
  const { raw } = history.present;
  return (
    <>
      <ToolsField draft={draft} />
      <EquipmentFields draft={draft} />
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

/** [YP15] What the agent has of the user's Pi, and its sandbox. */
function EquipmentFields({ draft }: { readonly draft: OpenMateriaDraft }): ReactElement {
  const { name, history } = draft;
  const { raw } = history.present;
  const known = useEquipment();
  const sandbox = stringOr(raw["sandbox"], "");
  const options = ["", ...new Set([...known.sandboxes, ...(sandbox === "" ? [] : [sandbox])])];
  const lists = [
    ["Skills", "skills"],
    ["Extensions", "extensions"],
    ["MCP servers", "mcp"],
  ] as const;
  return (
    <>
      {lists.map(([label, key]) => {
        const value = raw[key];
        const words = Array.isArray(value) ? value.map(String) : [];
        const others = known[key].filter((each) => !words.includes(each));
        const change = (next: readonly string[]): void =>
          setMateriaField(name, key, next.length === 0 ? null : next, key);
        return (
          <FormField key={key} label={label}>
            <WordListField label={label} value={words} placeholder="none" onChange={change} />
            {others.length > 0 && (
              <Select
                label={`Add to ${label}`}
                value=""
                options={[{ value: "", label: "add…" }, ...others.map((each) => ({ value: each, label: each }))]}
                onPick={(each) => change([...words, each])}
              />
            )}
          </FormField>
        );
      })}
      <FormField label="Sandbox">
        <Select
          label="Sandbox"
          value={sandbox}
          options={options.map((each) => ({ value: each, label: each === "" ? "no sandbox" : each }))}
          onPick={(each) => setMateriaField(name, "sandbox", each === "" ? null : each)}
        />
      </FormField>
    </>
  );
}

const TOOL_SCOPES = ["none", "readOnly", "coding"] as const;

function ToolsField({ draft }: { readonly draft: OpenMateriaDraft }): ReactElement {
  const { name, history } = draft;
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
        onPick={(next) =>
          setMateriaField(name, "tools", next === "custom" ? { type: "custom", tools: ["read"] } : next)
        }
      />
      {scope === "custom" && <WordListField label="Tools by name" value={list} onChange={typed} />}
    </FormField>
  );
}

/** A program and its arguments in separate fields: no quoting, no shell. */
function CommandFields(props: {
  readonly value: Json | undefined;
  readonly onChange: (words: readonly string[], kind?: string) => void;
}): ReactElement {
  const { value, onChange } = props;
  const words = Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : [];
  const shown = words.length === 0 ? [""] : words;
  return (
    <div className={css("command-fields")} role="group" aria-label="Command">
      {shown.map((word, index) => {
        const label = index === 0 ? "Program" : `Argument ${index}`;
        return (
          // The index is the key: words have no id.
          <div key={index} className={css("row")}>
            <TextField
              label={label}
              mono
              className={css("grow")}
              value={word}
              placeholder={index === 0 ? "npm" : ""}
              onType={(next) => onChange(shown.with(index, next), `command ${index}`)}
            />
            {index > 0 && (
              <Button
                look="bare"
                icon="bin"
                label={`Remove ${label.toLowerCase()}`}
                onClick={() => onChange(shown.toSpliced(index, 1))}
              />
            )}
          </div>
        );
      })}
      <Button icon="plus" onClick={() => onChange([...shown, ""])}>
        Add an argument
      </Button>
    </div>
  );
}

export function stringOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function FormField(props: {
  readonly label: string;
  readonly whole?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { label, whole = false, children } = props;
  return (
    <div className={css(whole ? "form-option whole" : "form-option")}>
      <span className={css("label")}>{label}</span>
      {children}
    </div>
  );
}

/** A comma-separated list. The typed text stays; the words are read from it. */
function WordListField(props: {
  readonly label: string;
  readonly value: readonly string[];
  readonly placeholder?: string;
  readonly onChange: (words: readonly string[]) => void;
}): ReactElement {
  const { label, value, placeholder = "", onChange } = props;
  const [typed, setTyped] = useState({ text: value.join(", "), words: value });
  // Undo or another tab may change the words without the field.
  const isCurrent = typed.words.join("\n") === value.join("\n");
  return (
    <TextField
      label={label}
      mono
      placeholder={placeholder}
      value={isCurrent ? typed.text : value.join(", ")}
      onType={(text) => {
        const words = text
          .split(",")
          .map((each) => each.trim())
          .filter((each) => each !== "");
        setTyped({ text, words });
        onChange(words);
      }}
    />
  );
}
