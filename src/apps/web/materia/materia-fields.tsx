import { type ReactElement, useState, type ReactNode } from "react";
import { parseJsonc } from "../../../core/edit/json-edit.ts";
import { BUNDLED_SCRIPT_NAMES } from "../../../core/catalog/bundled-utilities.ts";
import { isJsonObject, isSameJson, type Json } from "../../../core/model/json.ts";
import { useEquipment } from "../data/use-catalog.ts";
import { Select, TextField, type SelectOption } from "../ui/fields.tsx";
import { DurationField } from "../ui/units.tsx";
import { setMateriaField, type OpenMateriaDraft } from "./materia-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import materiaSheet from "./materia.module.css";
import { THINKING_LEVELS, toolsInScope } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";

const css = bindSheets(materiaSheet);

interface DraftProps {
  readonly draft: OpenMateriaDraft;
}

interface MateriaKey {
  readonly field: string;
  readonly label: string;
  /** The accessible name, if it says more than the label. */
  readonly named?: string;
  readonly as: "text" | "code" | "duration" | "words" | "choice";
  /** Also the choice of no value. */
  readonly placeholder: string;
}

/** [YP15] What an agent has of the user's Pi, its sandbox and its model. */
const AGENT_KEYS: readonly MateriaKey[] = [
  { field: "skills", label: "Skills", as: "words", placeholder: "none" },
  { field: "extensions", label: "Extensions", as: "words", placeholder: "none" },
  { field: "mcp", label: "MCP servers", as: "words", placeholder: "none" },
  { field: "sandbox", label: "Sandbox", as: "choice", placeholder: "no sandbox" },
  { field: "model", label: "Model", as: "code", placeholder: "the cast's model" },
  { field: "thinking", label: "Thinking", as: "choice", placeholder: "the cast's own" },
];

const UTILITY_KEYS: readonly MateriaKey[] = [
  { field: "timeoutMs", label: "Time-out", as: "duration", placeholder: "30 s" },
  { field: "env", label: "Environment", named: "Environment variables", as: "words", placeholder: "GIT_DIR, CI" },
];

/** The field of one key of the materia; an empty one removes the key. */
export function MateriaField(
  props: DraftProps &
    MateriaKey & {
      /** The choices, or the words that can be added. */
      readonly known?: readonly string[];
      readonly whole?: boolean;
    },
): ReactElement {
  const { draft, field, label, named = label, as, placeholder, known = [], whole = false } = props;
  const value = draft.history.present.raw[field];
  const words = wordsOf(value);
  const shown = stringOr(value, "");
  const set = (next: Json, kind?: string): void =>
    setMateriaField(draft.name, field, next === "" || isSameJson(next, []) ? null : next, kind);
  const others = known.filter((each) => !words.includes(each));
  return (
    <FormField label={label} whole={whole}>
      {as === "words" ? (
        <WordsField label={named} placeholder={placeholder} value={words} onChange={(next) => set(next, field)} />
      ) : as === "choice" ? (
        <Select
          label={named}
          value={shown}
          options={[{ value: "", label: placeholder }, ...known.map(plainOption)]}
          onPick={(next) => set(next)}
        />
      ) : as === "duration" ? (
        <DurationField
          label={named}
          placeholder={placeholder}
          value={value}
          onChange={(next) => set(next ?? "", field)}
        />
      ) : (
        <TextField
          label={named}
          mono={as === "code"}
          value={shown}
          placeholder={placeholder}
          onType={(text) => set(text, field)}
        />
      )}
      {as === "words" && others.length > 0 && (
        <Select
          label={`Add to ${label}`}
          value=""
          options={[{ value: "", label: "add…" }, ...others.map(plainOption)]}
          onPick={(each) => set([...words, each], field)}
        />
      )}
    </FormField>
  );
}

export function UtilityFields({ draft }: DraftProps): ReactElement {
  const { script } = draft.history.present.raw;
  return (
    <div className={css("form-options")}>
      <FormField label="Program" whole>
        {script === undefined ? (
          <CommandFields draft={draft} />
        ) : (
          <Select
            label="Bundled utility"
            value={stringOr(script, "")}
            options={BUNDLED_SCRIPT_NAMES.map(plainOption)}
            onPick={(next) => setMateriaField(draft.name, "script", next)}
          />
        )}
      </FormField>
      {UTILITY_KEYS.map((key) => (
        <MateriaField key={key.field} draft={draft} {...key} />
      ))}
      <FormField label="Parameters">
        <ParametersField draft={draft} />
      </FormField>
    </div>
  );
}

/** Invalid text stays in the field only. */
function ParametersField({ draft }: DraftProps): ReactElement {
  const [text, setText] = useState(JSON.stringify(draft.history.present.raw["params"] ?? {}));
  return (
    <TextField
      label="Parameters"
      mono
      value={text}
      invalid={parseJsonc(text).ok ? null : "This is not JSON"}
      onType={(next) => {
        setText(next);
        const parsed = parseJsonc(next);
        if (parsed.ok) setMateriaField(draft.name, "params", parsed.value.value as Json, "params"); // a JSON parser returns JSON
      }}
    />
  );
}

export function AgentFields({ draft }: DraftProps): ReactElement {
  const { sandboxes, ...equipment } = useEquipment();
  const sandbox = stringOr(draft.history.present.raw["sandbox"], "");
  const known: Readonly<Record<string, readonly string[]>> = {
    ...equipment,
    sandbox: [...new Set([...sandboxes, ...(sandbox === "" ? [] : [sandbox])])],
    thinking: THINKING_LEVELS,
  };
  return (
    <>
      <ToolsField draft={draft} />
      {AGENT_KEYS.map((key) => (
        <MateriaField key={key.field} draft={draft} {...key} known={known[key.field] ?? []} />
      ))}
    </>
  );
}

const TOOL_SCOPES = ["none", "readOnly", "coding"] as const;

function ToolsField({ draft }: DraftProps): ReactElement {
  const { name, history } = draft;
  const { tools } = history.present.raw;
  const setCustom = (names: readonly string[]): void =>
    setMateriaField(name, "tools", { type: "custom", tools: names }, "tools");
  return (
    <FormField label="Tools">
      <Select
        label="Tools"
        value={isJsonObject(tools) ? "custom" : stringOr(tools, "none")}
        options={[
          ...TOOL_SCOPES.map((each) => ({
            value: each,
            label: [each, toolsInScope(each).join(", ")].filter(Boolean).join(": "),
          })),
          plainOption("custom"),
        ]}
        onPick={(next) =>
          setMateriaField(name, "tools", next === "custom" ? { type: "custom", tools: ["read"] } : next)
        }
      />
      {isJsonObject(tools) && <WordsField label="Tools by name" value={wordsOf(tools["tools"])} onChange={setCustom} />}
    </FormField>
  );
}

/** A program and its arguments in separate fields: no quoting, no shell. */
function CommandFields({ draft }: DraftProps): ReactElement {
  const { command } = draft.history.present.raw;
  const words = typeof command === "string" ? [command] : wordsOf(command);
  const shown = words.length === 0 ? [""] : words;
  const change = (next: readonly string[], kind?: string): void => setMateriaField(draft.name, "command", next, kind);
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
              onType={(next) => change(shown.with(index, next), `command ${index}`)}
            />
            {index > 0 && (
              <Button
                look="bare"
                icon="bin"
                label={`Remove ${label.toLowerCase()}`}
                onClick={() => change(shown.toSpliced(index, 1))}
              />
            )}
          </div>
        );
      })}
      <Button icon="plus" onClick={() => change([...shown, ""])}>
        Add an argument
      </Button>
    </div>
  );
}

export function stringOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

function wordsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function plainOption(value: string): SelectOption {
  return { value, label: value };
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
function WordsField(props: {
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
        const words = text.split(",").flatMap((each) => each.trim() || []);
        setTyped({ text, words });
        onChange(words);
      }}
    />
  );
}
