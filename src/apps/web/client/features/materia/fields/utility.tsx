import { type ReactElement, useState } from "react";
import { parseJsonc } from "../../../../../../core/edit/text/parse.ts";
import { BUNDLED_UTILITIES } from "../../../../../../core/catalog/utilities.ts";
import type { Json } from "../../../../../../core/model/values/json.ts";
import { Pick, TextField } from "../../../parts/controls/fields.tsx";
import { CommandFields } from "./command.tsx";
import { FormOption, textOr } from "./form-option.tsx";
import { WordsField } from "./words-field.tsx";
import { setField, type MateriaWork } from "../state/state.ts";
import { classesOf } from "../../../browser/classes.ts";
import materiaSheet from "../look/materia.module.css";

const css = classesOf(materiaSheet);

/** What a utility runs and what it is given. */
export function UtilityFields({ work }: { readonly work: MateriaWork }): ReactElement {
  const { name, history } = work;
  const { raw } = history.present;
  const isScript = raw["script"] !== undefined;
  const timeout = raw["timeoutMs"];
  return (
    <div className={css("form-options")}>
      <FormOption label="Program" whole>
        {isScript ? (
          <Pick
            label="Bundled utility"
            value={textOr(raw["script"], "")}
            options={BUNDLED_UTILITIES.map((each) => ({ value: each, label: each }))}
            onPick={(script) => setField(name, "script", script)}
          />
        ) : (
          <CommandFields value={raw["command"]} onChange={(words, kind) => setField(name, "command", words, kind)} />
        )}
      </FormOption>
      <FormOption label="Time-out in ms">
        <TextField
          label="Time-out in ms"
          numeric
          placeholder="30000"
          value={typeof timeout === "number" ? `${timeout}` : ""}
          onType={(text) => setField(name, "timeoutMs", text === "" ? null : Number(text), "timeout")}
        />
      </FormOption>
      <FormOption label="Environment">
        <WordsField
          label="Environment variables"
          placeholder="GIT_DIR, CI"
          value={Array.isArray(raw["env"]) ? raw["env"].map(String) : []}
          onChange={(names) => setField(name, "env", names.length === 0 ? null : names, "env")}
        />
      </FormOption>
      <FormOption label="Parameters">
        <JsonField
          label="Parameters"
          value={raw["params"] ?? {}}
          onChange={(params) => setField(name, "params", params, "params")}
        />
      </FormOption>
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
