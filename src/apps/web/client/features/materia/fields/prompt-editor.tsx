import { useRef, type ReactElement, type UIEvent } from "react";
import { promptVariables } from "../../../../../../core/edit/preview.ts";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Icon } from "../../../parts/marks/icon.tsx";
import { setField } from "../state/state.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import materiaSheet from "../look/materia.module.css";

const css = classesOf(materiaSheet, marksSheet, baseSheet);

const INSERTED = ["request", "item.title", "item.context", "state.path", "workItems"];

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
    setField(name, key, `${prompt.slice(0, from)}{{${variable}}}${prompt.slice(to)}`);
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
        {INSERTED.map((variable) => (
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
          <Marked prompt={prompt} />
          {"\n"}
        </pre>
        <textarea
          ref={area}
          aria-label={key === "prompt" ? "Prompt" : "Question"}
          spellCheck={false}
          value={prompt}
          onScroll={follow}
          onChange={(event) => setField(name, key, event.target.value, "prompt")}
        />
      </div>
      <Foot prompt={prompt} value={value} />
    </>
  );
}

function Foot({ prompt, value }: { readonly prompt: string; readonly value: Materia | null }): ReactElement {
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
          {`Nothing fills ${unknown.map((each) => `{{${each.name}}}`).join(", ")}`}
        </span>
      )}
    </div>
  );
}

function Marked({ prompt }: { readonly prompt: string }): ReactElement[] {
  return prompt.split(/(\{\{[^{}]*\}\})/).map((piece, index) => (
    // Pieces have no identity but their place.
    <span key={index} className={css(piece.startsWith("{{") ? "variable" : "")}>
      {piece}
    </span>
  ));
}
