import { type ReactElement, useState } from "react";
import { parseJsonc } from "../../../../../../core/edit/text/parse.ts";
import { BUNDLED_SCRIPT_NAMES } from "../../../../../../core/catalog/utilities.ts";
import type { Json } from "../../../../../../core/model/values/json.ts";
import { Select, TextField } from "../../../parts/controls/fields.tsx";
import { CommandFields } from "./command.tsx";
import { FormField, stringOr } from "./form-option.tsx";
import { WordListField } from "./words-field.tsx";
import { setMateriaField, type OpenMateriaDraft } from "../state/state.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import materiaSheet from "../look/materia.module.css";

const css = bindClassNames(materiaSheet);

/** What a utility runs and what it is given. */
export function UtilityFields({ work }: { readonly work: OpenMateriaDraft }): ReactElement {
  const { name, history } = work;
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
          <CommandFields value={raw["command"]} onChange={(words, kind) => setMateriaField(name, "command", words, kind)} />
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

/** JSON in a field; what cannot be read stays in the field and nowhere else. */
function JsonField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
}): ReactElement {
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
        if (parsed.ok) onChange(parsed.value.value as Json); // what a JSON reader gives
      }}
    />
  );
}
