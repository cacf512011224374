import { type ReactElement, useRef, type UIEvent } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import type { JsonObject } from "../../../core/model/json.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { FieldError, SegmentedControl, Switch } from "../ui/fields.tsx";
import { MATERIA_COLORS, materiaColorStyle, Icon } from "../ui/icons.tsx";
import { AgentFields, FormField, MateriaField, stringOr, UtilityFields } from "./materia-fields.tsx";
import { setMateriaField, type OpenMateriaDraft } from "./materia-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import materiaSheet from "./materia.module.css";
import { promptVariables } from "../../../core/edit/prompt-preview.ts";
import { Button } from "../ui/buttons.tsx";
import { countedText } from "../../../core/model/text.ts";
import { groupedText } from "../../../core/view/numbers.ts";

const css = bindSheets(materiaSheet);

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
  const key = isPerson ? "question" : "prompt";
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
        <MateriaField
          draft={draft}
          field="description"
          label="Description"
          as="text"
          placeholder="One sentence"
          whole
        />
      </div>
      {isUtility ? (
        <UtilityFields draft={draft} />
      ) : (
        <PromptEditor name={name} field={key} prompt={stringOr(raw[key], "")} value={value} />
      )}
    </div>
  );
}

function BehaviourField({ name, raw }: { readonly name: string; readonly raw: JsonObject }): ReactElement {
  const switches = [
    ["Generator", "generator"],
    raw["type"] === "utility"
      ? ["Gate", "gate"]
      : ["Interactive", raw["multiTurn"] === true ? "multiTurn" : "interactive"],
  ] as const;
  return (
    <FormField label="Behaviour">
      <span className={css("row wrap")}>
        {switches.map(([label, key]) => (
          <Switch
            key={label}
            label={label}
            on={raw[key] === true}
            onTurn={(on) => setMateriaField(name, key, on ? true : null)}
          />
        ))}
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
  const title = key === "prompt" ? "Prompt" : "Question";
  const insert = (variable: string): void => {
    const field = area.current;
    const [from, to] = [field?.selectionStart ?? prompt.length, field?.selectionEnd ?? prompt.length];
    setMateriaField(name, key, `${prompt.slice(0, from)}{{${variable}}}${prompt.slice(to)}`);
    requestAnimationFrame(() => {
      field?.focus();
      const end = from + variable.length + 4;
      field?.setSelectionRange(end, end);
    });
  };
  const follow = (event: UIEvent<HTMLTextAreaElement>): void => {
    if (layer.current) layer.current.scrollTop = event.currentTarget.scrollTop;
  };
  return (
    <>
      <div className={css("row wrap")}>
        <h2>{title}</h2>
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
          {markVariables(prompt)}
          {"\n"}
        </pre>
        <textarea
          ref={area}
          aria-label={title}
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
  return (
    <div className={css("row wrap faint")}>
      <span>{`${countedText(prompt.split("\n").length, "line")} · ${groupedText(prompt.length)} characters`}</span>
      <span className={css("grow")} />
      <span className={css(unknown.length === 0 ? "status good" : "status bad")}>
        <Icon name={unknown.length === 0 ? "tick" : "warning"} />
        {unknown.length === 0
          ? "All variables known"
          : `No value for ${unknown.map((each) => `{{${each.name}}}`).join(", ")}`}
      </span>
    </div>
  );
}

function markVariables(prompt: string): ReactElement[] {
  return prompt.split(/(\{\{[^{}]*\}\})/).map((piece, index) => (
    // The index is the key: pieces never move.
    <span key={index} className={css(piece.startsWith("{{") ? "variable" : "")}>
      {piece}
    </span>
  ));
}
