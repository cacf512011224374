import { type ReactElement, useRef, type UIEvent } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import type { JsonObject } from "../../../core/model/json.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { FieldError, SegmentedControl, Switch, TextField } from "../ui/fields.tsx";
import { MATERIA_COLORS, materiaColorStyle, Icon } from "../ui/icons.tsx";
import { AgentFields, FormField, stringOr, UtilityFields } from "./materia-fields.tsx";
import { setMateriaField, type OpenMateriaDraft } from "./materia-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import materiaSheet from "./materia.module.css";
import { promptVariables } from "../../../core/edit/prompt-preview.ts";
import { Button } from "../ui/buttons.tsx";

const css = bindSheets(materiaSheet);

/** The fields of a materia. */
export function MateriaForm(props: {
  readonly draft: OpenMateriaDraft;
  readonly value: Materia | null;
  readonly issues: readonly Issue[];
}): ReactElement {
  const { draft, value, issues } = props;
  const { name, history } = draft;
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
        {!isUtility && !isPerson && <AgentFields draft={draft} />}
        {!isPerson && raw["gate"] !== true && (
          <FormField label="Parse">
            <SegmentedControl
              label="Parse"
              value={stringOr(raw["parse"], raw["generator"] === true ? "json" : "text")}
              options={{ text: "text", json: "json" }}
              onPick={(parse) => setMateriaField(name, "parse", parse)}
            />
          </FormField>
        )}
        {!isPerson && <BehaviourField name={name} raw={raw} />}
        <ColourField name={name} chosen={stringOr(raw["color"], "slate")} />
        <FormField label="Description" whole>
          <TextField
            label="Description"
            value={stringOr(raw["description"], "")}
            placeholder="One sentence"
            onType={(text) => setMateriaField(name, "description", text === "" ? null : text, "description")}
          />
        </FormField>
      </div>
      {isUtility ? (
        <UtilityFields draft={draft} />
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
          <Switch
            label="Gate"
            on={raw["gate"] === true}
            onTurn={(on) => setMateriaField(name, "gate", on ? true : null)}
          />
        )}
        {!isUtility && (
          <Switch
            label="Interactive"
            on={raw["interactive"] === true || raw["multiTurn"] === true}
            onTurn={(on) =>
              setMateriaField(name, raw["multiTurn"] === true ? "multiTurn" : "interactive", on ? true : null)
            }
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
            className={css(`materia-icon ${hue === chosen ? "chosen-hue" : ""}`)}
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

const INSERTABLE_VARIABLES = ["request", "item.title", "item.context", "state.path", "workItems"];

/** The prompt editor, with marked variables and buttons to insert them. */
function PromptEditor(props: {
  readonly name: string;
  /** The key of the text: the question of a person is edited like a prompt. */
  readonly field: "prompt" | "question";
  readonly prompt: string;
  readonly value: Materia | null;
}): ReactElement {
  const { name, field: key, prompt, value } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const layer = useRef<HTMLPreElement>(null);
  const insert = (variable: string): void => {
    const field = area.current;
    const [from, to] = [field?.selectionStart ?? prompt.length, field?.selectionEnd ?? prompt.length];
    setMateriaField(name, key, `${prompt.slice(0, from)}{{${variable}}}${prompt.slice(to)}`);
    requestAnimationFrame(() => {
      field?.focus();
      field?.setSelectionRange(from + variable.length + 4, from + variable.length + 4);
    });
  };
  const follow = (event: UIEvent<HTMLTextAreaElement>): void => {
    if (layer.current) layer.current.scrollTop = event.currentTarget.scrollTop;
  };
  return (
    <>
      <div className={css("row wrap")}>
        <h2>{key === "prompt" ? "Prompt" : "Question"}</h2>
        <span className={css("grow")} />
        <span className={css("faint not-small")}>Insert</span>
        {INSERTABLE_VARIABLES.map((variable) => (
          <Button
            key={variable}
            className={css("monospace insert")}
            aria-label={`Insert ${variable}`}
            onClick={() => insert(variable)}
          >
            {variable === "state.path" ? "state…" : variable}
          </Button>
        ))}
      </div>
      <div className={css("prompt-editor")}>
        <pre ref={layer} aria-hidden="true">
          <HighlightedPrompt prompt={prompt} />
          {"\n"}
        </pre>
        <textarea
          ref={area}
          aria-label={key === "prompt" ? "Prompt" : "Question"}
          spellCheck={false}
          value={prompt}
          onScroll={follow}
          onChange={(event) => setMateriaField(name, key, event.target.value, "prompt")}
        />
      </div>
      <PromptSummary prompt={prompt} value={value} />
    </>
  );
}

function PromptSummary({ prompt, value }: { readonly prompt: string; readonly value: Materia | null }): ReactElement {
  const unknown = value ? promptVariables(value).filter(({ variable }) => variable.kind === "unknown") : [];
  const lines = prompt.split("\n").length;
  return (
    <div className={css("row wrap faint")}>
      <span>{`${lines} ${lines === 1 ? "line" : "lines"} · ${prompt.length.toLocaleString("en")} characters`}</span>
      <span className={css("grow")} />
      {unknown.length === 0 ? (
        <span className={css("status good")}>
          <Icon name="tick" />
          All variables known
        </span>
      ) : (
        <span className={css("status bad")}>
          <Icon name="warning" />
          {`No value for ${unknown.map((each) => `{{${each.name}}}`).join(", ")}`}
        </span>
      )}
    </div>
  );
}

function HighlightedPrompt({ prompt }: { readonly prompt: string }): ReactElement[] {
  return prompt.split(/(\{\{[^{}]*\}\})/).map((piece, index) => (
    // The index is the key: pieces never move.
    <span key={index} className={css(piece.startsWith("{{") ? "variable" : "")}>
      {piece}
    </span>
  ));
}
