import type { ReactElement } from "react";
import type { Issue } from "../../../../../../core/model/issue.ts";
import type { JsonObject } from "../../../../../../core/model/values/json.ts";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { Fault, Segments, Switch, TextField } from "../../../parts/controls/fields.tsx";
import { HUES, hueStyle } from "../../../parts/marks/orb.tsx";
import { AgentOptions } from "./agent-options.tsx";
import { FormOption, textOr } from "./form-option.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import { setField, type MateriaWork } from "../state/state.ts";
import { UtilityFields } from "./utility.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import orbSheet from "../../../parts/marks/orb.module.css";
import materiaSheet from "../look/materia.module.css";

const css = classesOf(materiaSheet, orbSheet, baseSheet);

/** Everything a materia says of itself. */
export function MateriaForm(props: {
  readonly work: MateriaWork;
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
        <Fault
          key={`${issue.path.join(".")} ${issue.message}`}
          text={`${issue.message}${issue.hint === undefined ? "" : `; ${issue.hint}`}.`}
          warning={issue.severity === "warning"}
        />
      ))}
      <div className={css("form-options")}>
        {!isUtility && !isPerson && <AgentOptions work={work} />}
        {!isPerson && raw["gate"] !== true && (
          <FormOption label="Parse">
            <Segments
              label="Parse"
              value={textOr(raw["parse"], raw["generator"] === true ? "json" : "text")}
              options={[
                { value: "text", label: "text" },
                { value: "json", label: "json" },
              ]}
              onPick={(parse) => setField(name, "parse", parse)}
            />
          </FormOption>
        )}
        {!isPerson && <Behaviour name={name} raw={raw} />}
        <Hues name={name} chosen={textOr(raw["color"], "slate")} />
        <FormOption label="What for" whole>
          <TextField
            label="Description"
            value={textOr(raw["description"], "")}
            placeholder="One sentence"
            onType={(text) => setField(name, "description", text === "" ? null : text, "description")}
          />
        </FormOption>
      </div>
      {isUtility ? (
        <UtilityFields work={work} />
      ) : (
        <PromptEditor
          name={name}
          field={isPerson ? "question" : "prompt"}
          prompt={textOr(raw[isPerson ? "question" : "prompt"], "")}
          value={value}
        />
      )}
    </div>
  );
}

function Behaviour({ name, raw }: { readonly name: string; readonly raw: JsonObject }): ReactElement {
  const isUtility = raw["type"] === "utility";
  return (
    <FormOption label="Behaviour">
      <span className={css("row wrap")}>
        <Switch
          label="Generator"
          on={raw["generator"] === true}
          onTurn={(on) => setField(name, "generator", on ? true : null)}
        />
        {isUtility && (
          <Switch label="Gate" on={raw["gate"] === true} onTurn={(on) => setField(name, "gate", on ? true : null)} />
        )}
        {!isUtility && (
          <Switch
            label="Interactive"
            on={raw["interactive"] === true || raw["multiTurn"] === true}
            onTurn={(on) => setField(name, raw["multiTurn"] === true ? "multiTurn" : "interactive", on ? true : null)}
          />
        )}
      </span>
    </FormOption>
  );
}

function Hues({ name, chosen }: { readonly name: string; readonly chosen: string }): ReactElement {
  return (
    <FormOption label={`Colour: ${chosen}`}>
      <span className={css("hues")} role="radiogroup" aria-label="Colour">
        {HUES.map((hue) => (
          <button
            key={hue}
            type="button"
            className={css(`orb ${hue === chosen ? "chosen-hue" : ""}`)}
            style={hueStyle(hue)}
            role="radio"
            aria-label={hue}
            aria-checked={hue === chosen}
            onClick={() => setField(name, "color", hue)}
          />
        ))}
      </span>
    </FormOption>
  );
}
