import { useMemo, useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { compileTargets } from "../../../core/compile/targets/compile.ts";
import type { Graph, GraphSocket } from "../../../core/compile/graph.ts";
import { handoffContractText } from "../../../core/prompt/handoff-contract.ts";
import { previewTurn, promptVariables } from "../../../core/edit/prompt-preview.ts";
import type { Materia, TemplateVariable } from "../../../core/model/materia.ts";
import type { AgentPrompt } from "../../../core/prompt/agent-prompt.ts";
import { Select, FieldRow, Switch, TextField } from "../ui/fields.tsx";
import { Button, Tabs, tabId } from "../ui/buttons.tsx";
import { hrefOf } from "../browser/route.ts";
import { loadoutsUsing, useCatalogWithDraft, usagesOf, type MateriaUsage } from "./materia-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import materiaSheet from "./materia.module.css";
import { copyText } from "../ui/toasts.tsx";
import { groupedText } from "../../../core/view/numbers.ts";

const css = bindSheets(materiaSheet);

const SAMPLE_ITEMS = [
  { title: "Cancel a running export", context: "Stop the worker between rows and remove the partial file." },
  { title: "Show the progress", context: "A bar with the rows done so far." },
];

/** The prompt as a socket sends it, and the sockets that use the materia. */
export function MateriaPreview(props: {
  readonly name: string;
  readonly value: Materia | null;
  readonly catalog: Catalog;
}): ReactElement {
  const { name, value } = props;
  const catalog = useCatalogWithDraft(props.catalog, name, value);
  const seats = usagesOf(catalog, name);
  const [tab, setTab] = useState<"preview" | "used">("preview");
  return (
    <aside className={css("preview")} aria-label="Prompt preview">
      <div className={css("panel-head")}>
        <Tabs
          name="preview"
          label="Preview"
          tabs={[
            { key: "preview", label: "Preview" },
            { key: "used", label: "Used by", count: loadoutsUsing(catalog, name).length },
          ]}
          chosen={tab}
          onChoose={setTab}
        />
      </div>
      <div role="tabpanel" className={css("preview-body")} aria-labelledby={tabId("preview", tab)}>
        {tab === "used" ? (
          <UsageList seats={seats} />
        ) : (
          <PromptPreview name={name} value={value} catalog={catalog} seats={seats} />
        )}
      </div>
    </aside>
  );
}

function UsageList({ seats }: { readonly seats: readonly MateriaUsage[] }): ReactElement {
  if (seats.length === 0)
    return <p className={css("preview-part faint")}>No loadout uses this materia. Add it to one from the palette.</p>;
  return (
    <ul>
      {seats.map(({ loadout, socket }) => (
        <li key={`${loadout} ${socket}`}>
          <a className={css("side-row")} href={hrefOf("loadouts", loadout)}>
            <span className={css("cut grow")}>{loadout}</span>
            <code className={css("faint")}>{socket}</code>
          </a>
        </li>
      ))}
    </ul>
  );
}

const WITHOUT_PROMPT = {
  person: "A person has no prompt. They are asked the question, and answer yes or no.",
  utility: "A utility has no prompt. It gets one JSON object with the state, the item and its parameters.",
  agent: "This materia has problems. Fix them to see its prompt.",
} as const;

function PromptPreview(props: {
  readonly name: string;
  readonly value: Materia | null;
  readonly catalog: Catalog;
  readonly seats: readonly MateriaUsage[];
}): ReactElement {
  const { name, value, catalog, seats } = props;
  const [place, setPlace] = useState("");
  const [request, setRequest] = useState("Add CSV export to the reports page");
  const [reworked, setReworked] = useState(false);
  const chosen = seats.find((seat) => usageKey(seat) === place) ?? seats[0];
  const seated = useMemo(() => compileUsage(catalog, name, chosen), [catalog, name, chosen]);
  if (value?.type !== "agent" || !seated)
    return <p className={css("preview-part faint")}>{WITHOUT_PROMPT[value?.type ?? "agent"]}</p>;
  const text = previewTurn(seated.graph, seated.socket, { request, items: SAMPLE_ITEMS, reworked });
  return (
    <>
      <div className={css("section")}>
        <FieldRow label="Preview for">
          <Select
            label="Preview for"
            value={chosen ? usageKey(chosen) : ""}
            options={
              chosen
                ? seats.map((seat) => ({ value: usageKey(seat), label: `${seat.loadout}, ${seat.socket}` }))
                : [{ value: "", label: "by itself" }]
            }
            onPick={setPlace}
          />
        </FieldRow>
        <FieldRow label="Request">
          <TextField label="Request of the preview" value={request} onType={setRequest} />
        </FieldRow>
        <FieldRow label="Rework">
          <Switch label="After a refusal" on={reworked} onTurn={setReworked} />
        </FieldRow>
      </div>
      <PromptVariables value={value} graph={seated.graph} socket={seated.socket} request={request} />
      <PromptSections {...seated} text={text} />
    </>
  );
}

/** The parts of the prompt with their lengths and how long each stays the same. */
function PromptSections(props: {
  readonly text: AgentPrompt;
  readonly graph: Graph;
  readonly socket: GraphSocket;
}): ReactElement {
  const { text, graph, socket } = props;
  const whole = `${text.system}\n\n${text.prompt}`;
  return (
    <>
      {promptSections(text).map(({ title, note, body }, index) => (
        <div key={`${index} ${title}`} className={css("preview-part")}>
          <div className={css("preview-head")}>
            <span>{`${index + 1} · ${title}`}</span>
            <span className={css("faint")}>{`${groupedText(body.length)} characters · ${note}`}</span>
          </div>
          <pre tabIndex={0} aria-label={title}>
            {body}
          </pre>
        </div>
      ))}
      <div className={css("preview-part")}>
        <div className={css("preview-head")}>
          <span>Return</span>
          <span className={css("faint")}>{socket.parse}</span>
        </div>
        <p>
          {handoffContractText(graph, socket) === ""
            ? "Plain text. No fields are read from it."
            : "The fields are listed at the end of the instructions."}
        </p>
      </div>
      <div className={css("section last")}>
        <div className={css("row")}>
          <span className={css("grow secondary")}>
            Whole prompt <b>{`${groupedText(whole.length)} characters`}</b>
          </span>
          <Button icon="copy" onClick={() => void copyText(whole, "the prompt")}>
            Copy
          </Button>
        </div>
      </div>
    </>
  );
}

function promptSections({ system, prompt }: AgentPrompt): readonly Record<"title" | "note" | "body", string>[] {
  const parts = prompt.split(/\n\n(?=## )/).map((part) => {
    const [, title = "", body = part] = /^## ([^\n]*)\n\n([^]*)$/.exec(part) ?? [];
    return { title, note: title === "Request" ? "stable" : title === "Current item" ? "per item" : "per visit", body };
  });
  return [{ title: "Instructions", note: "stable", body: system }, ...parts];
}

function usageKey({ loadout, socket }: MateriaUsage): string {
  return `${loadout} ${socket}`;
}

function compileUsage(catalog: Catalog, name: string, seat: MateriaUsage | undefined) {
  const inPlace = seat && compileTargets([{ kind: "loadout", name: seat.loadout }], catalog);
  const made = inPlace?.ok ? inPlace : compileTargets([{ kind: "materia", name }], catalog);
  if (!made.ok) return null;
  const { graph } = made.value;
  const id = inPlace?.ok && seat ? seat.socket : graph.entry;
  const socket = Object.hasOwn(graph.sockets, id) ? graph.sockets[id] : undefined;
  return socket ? { graph, socket } : null;
}

function PromptVariables(props: {
  readonly value: Materia;
  readonly graph: Graph;
  readonly socket: GraphSocket;
  readonly request: string;
}): ReactElement | null {
  const { value, graph, socket, request } = props;
  const found = promptVariables(value);
  if (found.length === 0) return null;
  const isLooped = socket.loop !== null && (graph.loops[socket.loop]?.items ?? null) !== null;
  const exampleOf = (variable: TemplateVariable): string => {
    switch (variable.kind) {
      case "request":
        return request;
      case "item":
        return isLooped ? (SAMPLE_ITEMS[0]?.[variable.field] ?? "") : "nothing: it is in no loop";
      case "workItems":
        return `${SAMPLE_ITEMS.length} work items as JSON`;
      case "state":
        return "value set by an earlier socket";
      default:
        return "nothing: unknown variable";
    }
  };
  return (
    <dl className={css("variables preview-part")}>
      {found.map(({ name, variable }) => (
        <div key={name}>
          <dt>
            <code className={css("variable")}>{`{{${name}}}`}</code>
          </dt>
          <dd className={css("cut")} title={exampleOf(variable)}>
            {exampleOf(variable)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
