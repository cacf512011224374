import type { ReactElement } from "react";
import type { Issue } from "../../../../../../core/model/issue.ts";
import type { JsonObject } from "../../../../../../core/model/values/json.ts";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { FieldError, SegmentedControl, Switch, TextField } from "../../../parts/controls/fields.tsx";
import { MATERIA_COLORS, materiaColorStyle } from "../../../parts/marks/orb.tsx";
import { AgentFields } from "./agent-options.tsx";
import { FormField, stringOr } from "./form-option.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import { setMateriaField, type OpenMateriaDraft } from "../state/state.ts";
import { UtilityFields } from "./utility.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import orbSheet from "../../../parts/marks/orb.module.css";
import materiaSheet from "../look/materia.module.css";

const css = bindClassNames(materiaSheet, orbSheet, baseSheet);

/** Everything a materia says of itself. */
export function MateriaForm(props: {
  readonly work: OpenMateriaDraft;
  readonly value: Materia | null;
  readonly issues: readonly Issue[];
}): ReactElement {
  const { work, value, issues } = props;
  const { name, history } = work;
  const { raw } = history.present;
  const isUtility = raw["type"] === "utility";
  const isPerson = raw["type"] === "person";
  return (
    <div className={css("materia-form")}>
      {issues.map((issue) => (
        <FieldError
          key={`${issue.path.join(".")} ${issue.message}`}
          text={`${issue.message}${issue.hint === undefined ? "" : `; ${issue.hint}`}.`}
          warning={issue.severity === "warning"}
        />
      ))}
      <div className={css("form-options")}>
        {!isUtility && !isPerson && <AgentFields work={work} />}
        {!isPerson && raw["gate"] !== true && (
          <FormField label="Parse">
            <SegmentedControl
              label="Parse"
              value={stringOr(raw["parse"], raw["generator"] === true ? "json" : "text")}
              options={[
                { value: "text", label: "text" },
                { value: "json", label: "json" },
              ]}
              onPick={(parse) => setMateriaField(name, "parse", parse)}
            />
          </FormField>
        )}
        {!isPerson && <BehaviourField name={name} raw={raw} />}
        <ColourField name={name} chosen={stringOr(raw["color"], "slate")} />
        <FormField label="What for" whole>
          <TextField
            label="Description"
            value={stringOr(raw["description"], "")}
            placeholder="One sentence"
            onType={(text) => setMateriaField(name, "description", text === "" ? null : text, "description")}
          />
        </FormField>
      </div>
      {isUtility ? (
        <UtilityFields work={work} />
      ) : (
        <PromptEditor
          name={name}
          field={isPerson ? "question" : "prompt"}
          prompt={stringOr(raw[isPerson ? "question" : "prompt"], "")}
          value={value}
        />
      )}
    </div>
  );
}

function BehaviourField({ name, raw }: { readonly name: string; readonly raw: JsonObject }): ReactElement {
  const isUtility = raw["type"] === "utility";
  return (
    <FormField label="Behaviour">
      <span className={css("row wrap")}>
        <Switch
          label="Generator"
          on={raw["generator"] === true}
          onTurn={(on) => setMateriaField(name, "generator", on ? true : null)}
        />
        {isUtility && (
          <Switch label="Gate" on={raw["gate"] === true} onTurn={(on) => setMateriaField(name, "gate", on ? true : null)} />
        )}
        {!isUtility && (
          <Switch
            label="Interactive"
            on={raw["interactive"] === true || raw["multiTurn"] === true}
            onTurn={(on) => setMateriaField(name, raw["multiTurn"] === true ? "multiTurn" : "interactive", on ? true : null)}
          />
        )}
      </span>
    </FormField>
  );
}

function ColourField({ name, chosen }: { readonly name: string; readonly chosen: string }): ReactElement {
  return (
    <FormField label={`Colour: ${chosen}`}>
      <span className={css("hues")} role="radiogroup" aria-label="Colour">
        {MATERIA_COLORS.map((hue) => (
          <button
            key={hue}
            type="button"
            className={css(`orb ${hue === chosen ? "chosen-hue" : ""}`)}
            style={materiaColorStyle(hue)}
            role="radio"
            aria-label={hue}
            aria-checked={hue === chosen}
            onClick={() => setMateriaField(name, "color", hue)}
          />
        ))}
      </span>
    </FormField>
  );
}
