import { useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { Graph } from "../../../../core/compile/graph.ts";
import { generatedReplies } from "../../../../core/edit/rehearse.ts";
import type { RehearsedMateria } from "../../../../core/edit/rehearse.ts";
import type { Issue } from "../../../../core/model/issue.ts";
import { withTrust } from "../data/trust.ts";
import { rehearse } from "../net/api.ts";
import type { RehearsedCommand } from "../../../../core/wire/commands.ts";
import { Segments, TextField } from "../parts/controls/fields.tsx";
import { Ask } from "../parts/controls/dialog.tsx";
import { Orb } from "../parts/marks/orb.tsx";
import { go, hrefOf } from "../browser/route.ts";
import { readReplies } from "./replies.ts";
import { classesOf } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import marksSheet from "../parts/marks/marks.module.css";
import controlsSheet from "../parts/controls/controls.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";
import fieldsSheet from "../parts/controls/fields.module.css";
import rehearseSheet from "./rehearse.module.css";

const css = classesOf(rehearseSheet, fieldsSheet, dialogSheet, controlsSheet, marksSheet, baseSheet);

/** A cast without a model: what each materia answers, made up or typed; then it is watched live. */
export function RehearseDialog(props: {
  readonly title: string;
  readonly graph: Graph;
  readonly target: Pick<RehearsedCommand, "loadout" | "targets" | "draft">;
  readonly request?: string;
  /** Why it would not run what is shown. */
  readonly warning?: string | null;
  readonly onClose: () => void;
}): ReactElement {
  const { title, graph, target, warning = null, onClose } = props;
  const [prompt, setPrompt] = useState(props.request ?? "Rehearse it");
  const [items, setItems] = useState("2");
  const [onEmpty, setOnEmpty] = useState<"repeat-last" | "fail">("repeat-last");
  const generated = useMemo(() => generatedReplies(graph, countOf(items)), [graph, items]);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const texts = generated.map((each) => ({ ...each, text: typed[each.materia] ?? textOf(each) }));
  const read = texts.map(({ materia, text }) => ({ materia, ...readReplies(text) }));
  const fault = read.find(({ replies }) => replies === null);
  const { begin, busy, issues } = useBegin(onClose);
  return (
    <Ask
      title={title}
      action="Rehearse"
      busy={busy}
      off={
        prompt.trim() === "" ? "Write a request first" : fault ? `The replies of ${fault.materia} cannot be read` : null
      }
      onClose={onClose}
      onAct={() => {
        const replies = Object.fromEntries(read.map(({ materia, replies: each }) => [materia, each ?? []]));
        void begin({ ...target, prompt, replies, onEmpty });
      }}
    >
      {warning !== null && <p className={css("note rework")}>{warning}</p>}
      <Refusals issues={issues} />
      <div className={css("option")}>
        <span className={css("label")}>Request</span>
        <TextField label="Request" value={prompt} onType={setPrompt} />
      </div>
      <div className={css("row wrap")}>
        <span className={css("secondary")}>Work items</span>
        <TextField label="Work items" className={css("limit")} numeric value={items} onType={setItems} />
        <WhenEmpty value={onEmpty} onPick={setOnEmpty} />
      </div>
      {texts.length === 0 && <p className={css("faint")}>No agent stands in this graph, so no replies are needed.</p>}
      {texts.map((each) => (
        <Replies
          key={each.materia}
          {...each}
          graph={graph}
          fault={read.find(({ materia }) => materia === each.materia)?.fault ?? null}
          isTyped={typed[each.materia] !== undefined}
          onType={(text) => setTyped({ ...typed, [each.materia]: text })}
        />
      ))}
    </Ask>
  );
}

/** Starts the rehearsal and goes to watch it, or keeps why it was refused. */
function useBegin(onClose: () => void): {
  readonly begin: (body: RehearsedCommand) => Promise<void>;
  readonly busy: boolean;
  readonly issues: readonly Issue[];
} {
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const begin = async (body: RehearsedCommand): Promise<void> => {
    setBusy(true);
    const answer = await withTrust((trust) => rehearse({ ...body, ...(trust ? { trust } : {}) }));
    setBusy(false);
    if (answer.ok && "castId" in answer.value) {
      onClose();
      go(hrefOf("casts", answer.value.castId));
    } else setIssues(answer.ok ? [] : answer.issues);
  };
  return { begin, busy, issues };
}

function Refusals({ issues }: { readonly issues: readonly Issue[] }): ReactElement[] {
  return issues.map(({ message, hint, path }) => (
    <p key={`${path.join(".")} ${message}`} className={css("note bad")} role="alert">
      {message}.{hint !== undefined && ` ${hint}.`}
    </p>
  ));
}

type OnEmpty = "repeat-last" | "fail";

function WhenEmpty(props: { readonly value: OnEmpty; readonly onPick: (value: OnEmpty) => void }): ReactElement {
  return (
    <>
      <span className={css("secondary")}>When replies run out</span>
      <Segments<OnEmpty>
        label="When replies run out"
        value={props.value}
        options={[
          { value: "repeat-last", label: "repeat the last" },
          { value: "fail", label: "fail" },
        ]}
        onPick={props.onPick}
      />
    </>
  );
}

function Replies(
  props: RehearsedMateria & {
    readonly graph: Graph;
    readonly text: string;
    readonly fault: string | null;
    readonly isTyped: boolean;
    readonly onType: (text: string) => void;
  },
): ReactElement {
  const { materia, sockets, graph, text, fault, isTyped, onType } = props;
  const lines = Math.min(8, text.split("\n").length + 1);
  return (
    <label className={css("option replies")}>
      <span className={css("row")}>
        <Orb materia={graph.materia[materia]} size="sm" />
        <b>{materia}</b>
        <span className={css("faint grow")}>{sockets.join(", ")}</span>
        <span className={css("faint")}>{isTyped ? "typed" : "made up"}</span>
      </span>
      <span className={css(`field ${fault === null ? "" : "bad"}`)}>
        <textarea
          className={css("monospace")}
          aria-label={`Replies of ${materia}`}
          aria-invalid={fault !== null || undefined}
          spellCheck={false}
          rows={lines}
          value={text}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
      {fault !== null && <span className={css("fault")}>{fault}</span>}
    </label>
  );
}

function textOf({ replies }: RehearsedMateria): string {
  return replies.map((reply) => JSON.stringify(reply)).join("\n");
}

function countOf(text: string): number {
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= 0 && count <= 200 ? count : 2;
}
