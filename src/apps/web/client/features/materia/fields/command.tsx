import type { ReactElement } from "react";
import type { Json } from "../../../../../../core/model/values/json.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { TextField } from "../../../parts/controls/fields.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import materiaSheet from "../look/materia.module.css";

const commandCss = bindClassNames(materiaSheet, baseSheet);

/** A program and its arguments, each in a field of its own: nothing is quoted, and no shell takes it apart. */
export function CommandFields(props: {
  readonly value: Json | undefined;
  readonly onChange: (words: readonly string[], kind?: string) => void;
}): ReactElement {
  const { value, onChange } = props;
  const words = Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : [];
  const shown = words.length === 0 ? [""] : words;
  return (
    <div className={commandCss("command-fields")} role="group" aria-label="Command">
      {shown.map((word, index) => {
        const label = index === 0 ? "Program" : `Argument ${index}`;
        return (
          // Words have no identity but their place.
          <div key={index} className={commandCss("row")}>
            <TextField
              label={label}
              mono
              className={commandCss("grow")}
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
        Argument
      </Button>
    </div>
  );
}
