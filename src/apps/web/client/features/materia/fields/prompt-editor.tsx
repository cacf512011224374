import { useRef, type ReactElement, type UIEvent } from "react";
import { promptVariables } from "../../../../../../core/edit/preview.ts";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Icon } from "../../../parts/marks/icon.tsx";
import { setMateriaField } from "../state/state.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import materiaSheet from "../look/materia.module.css";

const promptEditorCss = bindClassNames(materiaSheet, marksSheet, baseSheet);

const INSERTABLE_VARIABLES = ["request", "item.title", "item.context", "state.path", "workItems"];

/** The prompt, with its variables marked and known ones to insert. */
export function PromptEditor({
  name,
  field: key = "prompt",
  prompt,
  value,
}: {
  readonly name: string;
  /** Where it stands: a person's question is written like a prompt. */
  readonly field?: "prompt" | "question";
  readonly prompt: string;
  readonly value: Materia | null;
}): ReactElement {
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
      <div className={promptEditorCss("row wrap")}>
        <h2>{key === "prompt" ? "Prompt" : "Question"}</h2>
        <span className={promptEditorCss("grow")} />
        <span className={promptEditorCss("faint not-small")}>Insert</span>
        {INSERTABLE_VARIABLES.map((variable) => (
          <Button
            key={variable}
            className={promptEditorCss("monospace insert")}
            aria-label={`Insert ${variable}`}
            onClick={() => insert(variable)}
          >
            {variable === "state.path" ? "state…" : variable}
          </Button>
        ))}
      </div>
      <div className={promptEditorCss("prompt-editor")}>
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
    <div className={promptEditorCss("row wrap faint")}>
      <span>{`${lines} ${lines === 1 ? "line" : "lines"} · ${prompt.length.toLocaleString("en")} characters`}</span>
      <span className={promptEditorCss("grow")} />
      {unknown.length === 0 ? (
        <span className={promptEditorCss("status good")}>
          <Icon name="tick" />
          All variables known
        </span>
      ) : (
        <span className={promptEditorCss("status bad")}>
          <Icon name="warning" />
          {`Nothing fills ${unknown.map((each) => `{{${each.name}}}`).join(", ")}`}
        </span>
      )}
    </div>
  );
}

function HighlightedPrompt({ prompt }: { readonly prompt: string }): ReactElement[] {
  return prompt.split(/(\{\{[^{}]*\}\})/).map((piece, index) => (
    // Pieces have no identity but their place.
    <span key={index} className={promptEditorCss(piece.startsWith("{{") ? "variable" : "")}>
      {piece}
    </span>
  ));
}
