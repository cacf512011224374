import { useRef } from "react";
import type { ReactElement, UIEvent } from "react";
import { promptVariables } from "../../../../core/edit/preview.ts";
import type { Issue } from "../../../../core/model/issue.ts";
import { THINKING_LEVELS } from "../../../../core/model/materia.ts";
import type { Materia } from "../../../../core/model/materia.ts";
import { toolsOf } from "../../../../core/model/tools.ts";
import { Fault, Pick, Segments, Switch, TextField } from "../editor/parts/fields.tsx";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { HUES, hueStyle } from "../parts/orb.tsx";
import { setField } from "./state.ts";
import type { MateriaWork } from "./state.ts";
import { Opt, textOf } from "./opt.tsx";
import { UtilityFields } from "./utility.tsx";

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
  return (
    <div className="mform">
      {issues.map((issue) => (
        <Fault
          key={`${issue.path} ${issue.message}`}
          text={`${issue.message}${issue.hint === undefined ? "" : `; ${issue.hint}`}.`}
          warning={issue.severity === "warning"}
        />
      ))}
      <div className="opts">
        {!isUtility && <AgentOptions work={work} />}
        <Opt label="Parse">
          <Segments
            label="Parse"
            value={textOf(raw["parse"], raw["generator"] === true ? "json" : "text")}
            options={[
              { value: "text", label: "text" },
              { value: "json", label: "json" },
            ]}
            onPick={(parse) => setField(name, "parse", parse)}
          />
        </Opt>
        <Opt label="Behaviour">
          <span className="row">
            <Switch
              label="Generator"
              on={raw["generator"] === true}
              onTurn={(on) => setField(name, "generator", on ? true : null)}
            />
            {!isUtility && (
              <Switch
                label="Interactive"
                on={raw["interactive"] === true || raw["multiTurn"] === true}
                onTurn={(on) =>
                  setField(name, raw["multiTurn"] === true ? "multiTurn" : "interactive", on ? true : null)
                }
              />
            )}
          </span>
        </Opt>
        <Hues name={name} chosen={textOf(raw["color"], "slate")} />
        <Opt label="What for" whole>
          <TextField
            label="Description"
            value={textOf(raw["description"], "")}
            placeholder="One sentence"
            onType={(text) => setField(name, "description", text === "" ? null : text, "description")}
          />
        </Opt>
      </div>
      {isUtility ? (
        <UtilityFields work={work} />
      ) : (
        <PromptEditor name={name} prompt={textOf(raw["prompt"], "")} value={value} />
      )}
    </div>
  );
}

const SCOPES = ["none", "readOnly", "coding"] as const;

function AgentOptions({ work }: { readonly work: MateriaWork }): ReactElement {
  const { name, history } = work;
  const { raw } = history.present;
  const scope = typeof raw["tools"] === "object" && raw["tools"] !== null ? "custom" : textOf(raw["tools"], "none");
  const custom =
    scope === "custom" && raw["tools"] !== null && typeof raw["tools"] === "object" && "tools" in raw["tools"]
      ? raw["tools"].tools
      : [];
  const list = Array.isArray(custom) ? custom.join(", ") : "";
  return (
    <>
      <Opt label="Tools">
        <Pick
          label="Tools"
          value={scope}
          options={[
            ...SCOPES.map((each) => ({
              value: each,
              label: [each, toolsOf(each).join(", ")].filter(Boolean).join(": "),
            })),
            { value: "custom", label: "custom" },
          ]}
          onPick={(next) => setField(name, "tools", next === "custom" ? { type: "custom", tools: ["read"] } : next)}
        />
        {scope === "custom" && (
          <TextField
            label="Tools by name"
            mono
            value={list}
            onType={(text) =>
              setField(
                name,
                "tools",
                {
                  type: "custom",
                  tools: text
                    .split(",")
                    .map((each) => each.trim())
                    .filter(Boolean),
                },
                "tools",
              )
            }
          />
        )}
      </Opt>
      <Opt label="Model">
        <TextField
          label="Model"
          mono
          value={textOf(raw["model"], "")}
          placeholder="the cast's model"
          onType={(text) => setField(name, "model", text === "" ? null : text, "model")}
        />
      </Opt>
      <Opt label="Thinking">
        <Pick
          label="Thinking"
          value={textOf(raw["thinking"], "")}
          options={[
            { value: "", label: "the cast's own" },
            ...THINKING_LEVELS.map((level) => ({ value: level, label: level })),
          ]}
          onPick={(level) => setField(name, "thinking", level === "" ? null : level)}
        />
      </Opt>
    </>
  );
}

function Hues({ name, chosen }: { readonly name: string; readonly chosen: string }): ReactElement {
  return (
    <Opt label={`Colour: ${chosen}`}>
      <span className="hues" role="radiogroup" aria-label="Colour">
        {HUES.map((hue) => (
          <button
            key={hue}
            type="button"
            className={`orb ${hue === chosen ? "on" : ""}`}
            style={hueStyle(hue)}
            role="radio"
            aria-label={hue}
            aria-checked={hue === chosen}
            onClick={() => setField(name, "color", hue)}
          />
        ))}
      </span>
    </Opt>
  );
}

const INSERTED = ["request", "item.title", "item.context", "state.path", "workItems"];

/** The prompt, with its variables marked and known ones to insert. */
function PromptEditor({
  name,
  prompt,
  value,
}: {
  readonly name: string;
  readonly prompt: string;
  readonly value: Materia | null;
}): ReactElement {
  const area = useRef<HTMLTextAreaElement>(null);
  const layer = useRef<HTMLPreElement>(null);
  const unknown = value ? promptVariables(value).filter(({ variable }) => variable.kind === "unknown") : [];
  const lines = prompt.split("\n").length;
  const insert = (variable: string): void => {
    const field = area.current;
    const [from, to] = [field?.selectionStart ?? prompt.length, field?.selectionEnd ?? prompt.length];
    setField(name, "prompt", `${prompt.slice(0, from)}{{${variable}}}${prompt.slice(to)}`);
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
        <h2>Prompt</h2>
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
          {prompt.split(/(\{\{[^{}]*\}\})/).map((piece, index) => (
            // Pieces have no identity but their place.
            <span key={index} className={piece.startsWith("{{") ? "var" : ""}>
              {piece}
            </span>
          ))}
          {"\n"}
        </pre>
        <textarea
          ref={area}
          aria-label="Prompt"
          spellCheck={false}
          value={prompt}
          onScroll={follow}
          onChange={(event) => setField(name, "prompt", event.target.value, "prompt")}
        />
      </div>
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
    </>
  );
}
