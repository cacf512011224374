import { useId, type ReactElement } from "react";
import { loopContaining } from "../../../core/edit/loadout-edit.ts";
import {
  duplicateSockets,
  removeSockets,
  setAdvance,
  setEntry,
  setMateria,
  setParse,
} from "../../../core/edit/sockets.ts";
import { socketToJson } from "../../../core/edit/loadout-draft.ts";
import { printJson } from "../../../core/edit/json-text.ts";
import { isGate, isGenerator, isInteractive, parseModeOf } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { FieldError, Select, FieldRow, SegmentedControl } from "../ui/fields.tsx";
import { materiaOptions } from "../data/materia-groups.ts";
import { useEditor } from "../loadout-editor/editor.ts";
import { AssignFields, CONDITION_OPTIONS, parseCondition } from "./inspector-fields.tsx";
import { EdgeList } from "./edge-inspector.tsx";
import { LoopFields, ProblemRows } from "./loop-inspector.tsx";
import { bindSheets } from "../ui/classes.ts";
import inspectSheet from "./inspector.module.css";

const css = bindSheets(inspectSheet);

/** The settings of one socket. */
export function SocketInspector({ id }: { readonly id: string }): ReactElement | null {
  const { loadout, checked } = useEditor();
  const socket = loadout.sockets[id];
  if (!socket) return null;
  const loop = loopContaining(loadout, id);
  const faults = checked.problems.filter(({ place }) => place.kind === "socket" && place.id === id);
  return (
    <>
      <SocketHead id={id} />
      {faults.length > 0 && (
        <section className={css("section")} aria-label="Problems of this socket">
          <ProblemRows faults={faults} />
        </section>
      )}
      <SocketOutput id={id} />
      <EdgeList from={id} />
      {loop !== undefined && (
        <section className={css("section")} aria-label="Loop">
          <h3>Loop</h3>
          <LoopFields id={loop} />
        </section>
      )}
      <section className={css("section")} aria-label="JSON">
        <h3>JSON, in step</h3>
        <HighlightedJson text={`${JSON.stringify(id)}: ${printJson(socketToJson(socket))}`} />
      </section>
    </>
  );
}

function SocketHead({ id }: { readonly id: string }): ReactElement {
  const { loadout, catalog, apply, remove, select, readOnly } = useEditor();
  const socket = loadout.sockets[id];
  const materia = catalog.materia.get(socket?.materia ?? "")?.value;
  const off = readOnly !== null;
  const badges = [
    ...(loadout.entry === id ? ["Entry"] : []),
    ...(materia && isGenerator(materia) ? ["Generator"] : []),
    ...(materia && isGate(materia) ? ["Gate"] : []),
    ...(loopContaining(loadout, id) === undefined ? [] : ["Loop consumer"]),
    ...(materia && isInteractive(materia) ? ["Interactive"] : []),
  ];
  return (
    <section className={css("section")} aria-label={id}>
      <div className={css("row")}>
        <MateriaIcon materia={materia} />
        <div className={css("grow")}>
          <h2 className={css("thing")}>{id}</h2>
          <div className={css("row badges")}>
            {badges.map((badge) => (
              <span key={badge} className={css("badge")}>
                {badge}
              </span>
            ))}
          </div>
        </div>
        <Button off={readOnly} onClick={() => apply(`Duplicate ${id}`, (each) => duplicateSockets(each, [id]))}>
          Duplicate
        </Button>
        <Button
          icon="bin"
          label={`Delete ${id}`}
          off={readOnly}
          onClick={() => {
            if (remove(`Delete ${id}`, (each) => removeSockets(each, [id]))) select();
          }}
        />
      </div>
      <FieldRow label="Materia">
        <Select
          label="Materia"
          value={socket?.materia ?? ""}
          options={materiaOptions(catalog)}
          off={off}
          onPick={(name) => apply(`Seat ${name}`, (each) => setMateria(each, id, name))}
        />
      </FieldRow>
      {loadout.entry !== id && (
        <FieldRow label="Entry">
          <Button off={readOnly} onClick={() => apply(`Begin at ${id}`, (each) => setEntry(each, id))}>
            Begin here
          </Button>
        </FieldRow>
      )}
    </section>
  );
}

function SocketOutput({ id }: { readonly id: string }): ReactElement {
  const { loadout, catalog, checked, apply, readOnly } = useEditor();
  const fault = useId();
  const socket = loadout.sockets[id];
  const own = catalog.materia.get(socket?.materia ?? "")?.value;
  const inherited = own ? parseModeOf(own) : "text";
  const answers = own !== undefined && isGate(own);
  const needsJson = checked.problems.find(
    ({ issue, place }) => place.kind === "socket" && place.id === id && /_needs_json|_not_json/.test(issue.code),
  );
  return (
    <section className={css("section")} aria-label="Output">
      <h3>Output</h3>
      {!answers && (
        <FieldRow label="Parse">
          <SegmentedControl
            label="Parse"
            value={socket?.parse ?? "inherit"}
            options={[
              { value: "inherit", label: "From materia", title: `The materia says ${inherited}` },
              { value: "text", label: "text" },
              { value: "json", label: "json" },
            ]}
            off={readOnly !== null}
            invalid={needsJson !== undefined}
            describedBy={needsJson ? fault : undefined}
            onPick={(parse) => apply(`Parse ${id}`, (each) => setParse(each, id, parse === "inherit" ? null : parse))}
          />
        </FieldRow>
      )}
      {needsJson && <FieldError id={fault} text={needsJsonText(socket?.edges ?? [])} />}
      <AssignFields id={id} />
      <FieldRow label="Advance">
        <AdvanceField id={id} />
      </FieldRow>
    </section>
  );
}

/** The condition under which the loop advances after this socket. */
function AdvanceField({ id }: { readonly id: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const loop = loopContaining(loadout, id);
  if (loop === undefined) return <span className={css("faint")}>In no loop</span>;
  const mover = loadout.loops[loop]?.sockets.find((each) => loadout.sockets[each]?.advance);
  const never = mover === undefined || mover === id ? "Never" : `Never: ${mover} advances to the next item`;
  return (
    <Select
      label="Advance"
      value={loadout.sockets[id]?.advance?.when ?? "never"}
      options={[
        { value: "never", label: never },
        ...CONDITION_OPTIONS.map(({ value, label }) => ({
          value,
          label: value === "always" ? "Always: the next item" : `When ${label}`,
        })),
      ]}
      off={readOnly !== null}
      onPick={(when) =>
        apply(`Advance ${id}`, (each) => setAdvance(each, id, when === "never" ? null : parseCondition(when)))
      }
    />
  );
}

function needsJsonText(edges: readonly { readonly when: string }[]): string {
  const guarded = edges.flatMap(({ when }, index) => (when === "always" ? [] : [`${index + 1}`]));
  if (guarded.length === 0) return "Only JSON output has the fields that are read from it.";
  const which = guarded.length === 1 ? `Edge ${guarded.join("")} reads` : `Edges ${guarded.join(" and ")} read`;
  return `${which} "satisfied", which only JSON output has.`;
}

const JSON_TOKEN =
  /("(?:\\.|[^"\\])*"\s*:)|("(?:\\.|[^"\\])*")|(-?\d+(?:\.\d+)?|true|false|null)|(\/\/[^\n]*|\/\*[^]*?\*\/)/g;

/** JSON with syntax colors. */
function HighlightedJson({ text, label = "JSON" }: { readonly text: string; readonly label?: string }): ReactElement {
  return (
    <pre className={css("code")} tabIndex={0} aria-label={label}>
      {jsonTokens(text).map(({ kind, text: piece }, index) => (
        // The index is the key: pieces never move.
        <span key={index} className={css(kind)}>
          {piece}
        </span>
      ))}
    </pre>
  );
}

interface JsonToken {
  readonly kind: "" | "code-key" | "code-string" | "code-value" | "code-comment";
  readonly text: string;
}

function jsonTokens(text: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
  let at = 0;
  for (const match of text.matchAll(JSON_TOKEN)) {
    if (match.index > at) tokens.push({ kind: "", text: text.slice(at, match.index) });
    const kind =
      match[1] !== undefined
        ? "code-key"
        : match[2] !== undefined
          ? "code-string"
          : match[3] !== undefined
            ? "code-value"
            : "code-comment";
    tokens.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  return [...tokens, { kind: "", text: text.slice(at) }];
}
