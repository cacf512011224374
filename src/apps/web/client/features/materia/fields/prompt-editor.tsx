import { useRef } from "react";
import type { ReactElement, UIEvent } from "react";
import { promptVariables } from "../../../../../../core/edit/preview.ts";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Icon } from "../../../parts/marks/icon.tsx";
import { setField } from "../state/state.ts";

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
      <div className="row wrap">
        <h2>{key === "prompt" ? "Prompt" : "Question"}</h2>
        <span className="grow" />
        <span className="mute hide-s">Insert</span>
        {INSERTED.map((variable) => (
          <Button
            key={variable}
            className="mono ins"
            aria-label={`Insert ${variable}`}
            onClick={() => insert(variable)}
          >
            {variable === "state.path" ? "state…" : variable}
          </Button>
        ))}
      </div>
      <div className="ed">
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
    <div className="row mute">
      <span>{`${lines} ${lines === 1 ? "line" : "lines"} · ${prompt.length.toLocaleString("en")} characters`}</span>
      <span className="grow" />
      {unknown.length === 0 ? (
        <span className="st ok">
          <Icon name="tick" />
          All variables known
        </span>
      ) : (
        <span className="st bad">
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
    <span key={index} className={piece.startsWith("{{") ? "var" : ""}>
      {piece}
    </span>
  ));
}
