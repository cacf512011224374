import { useMemo, useState, type ReactElement } from "react";
import * as v from "valibot";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { targetText, type CastCommand, type LinkCommand } from "../../../core/command/command.ts";
import { commandText } from "../../../core/command/command-text.ts";
import { chainCommand, composeChain, type TargetChain } from "../../../core/edit/target-chain.ts";
import { parseJson, withoutUndefined } from "../../../core/model/json.ts";
import type { ConfigDraft, RehearsalRequest } from "../../../core/wire/commands.ts";
import { hrefOf, navigate } from "../browser/route.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { useCommand } from "../data/use-command.ts";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { LabelledField, LabelledTextField, Select } from "../ui/fields.tsx";
import { ModelField, RequestField } from "./cast-fields.tsx";
import { CastTargets } from "./cast-targets.tsx";
import { CastPreview } from "./chain-preview.tsx";
import sheet from "./new-cast.module.css";
import { RehearseDialog, useStartRehearsal } from "./rehearse-dialog.tsx";
import { CopyButton } from "../ui/toasts.tsx";

const css = bindSheets(sheet);

interface NewCastProps {
  readonly onClose: () => void;
  /** By default the last choice, or the active one. */
  readonly loadout?: string;
  /** [E28] The unsaved content of the loadout, which is cast too. */
  readonly draft?: ConfigDraft | null;
  /** The catalog with that content. */
  readonly catalog?: Catalog;
  readonly off?: string | null;
}

/** [W48, E18] A new cast: what runs, what it may cost, and with which model. */
export default function NewCastDialog(props: NewCastProps): ReactElement | null {
  const shared = useCatalog().catalog;
  const catalog = props.catalog ?? shared;
  return catalog && <NewCastForm {...props} catalog={catalog} />;
}

function NewCastForm(props: NewCastProps & { readonly catalog: Catalog }): ReactElement {
  const { catalog, draft = null, onClose } = props;
  const [request, setRequest] = useTextDraft("request");
  const [chain, setChain] = useTargets(catalog, props.loadout ?? "");
  const [options, setOptions] = useState<CastOptions>(NO_OPTIONS);
  const [rehearses, setRehearses] = useState(false);
  const composed = useMemo(() => composeChain(chain, catalog), [chain, catalog]);
  const command = chainCommand({ ...chain, request: request.trim() });
  const { start, busy, issues, isTreeInUse, target } = useStart(command, { ...options, draft }, (castId) => {
    setRequest("");
    setChain(null);
    onClose();
    if (castId !== "") navigate(hrefOf("casts", castId));
  });
  const off = composed.kind === "refused" ? "These targets cannot be joined" : whyNotReady(request, options);
  if (rehearses && composed.kind === "composed")
    return (
      <RehearseDialog
        title={`Rehearsal of ${composed.compiled.graph.name}`}
        graph={composed.compiled.graph}
        target={target}
        request={request}
        onClose={() => setRehearses(false)}
      />
    );
  return (
    <ConfirmDialog
      title="New cast"
      action={options.rehearsal ? "Rehearse" : isTreeInUse ? "Start anyway" : "Start"}
      keepsText
      wide
      busy={busy}
      off={props.off ?? off}
      beside={
        options.rehearsal === null && (
          <Button off={composed.kind === "composed" ? null : off} onClick={() => setRehearses(true)}>
            Rehearse…
          </Button>
        )
      }
      onClose={onClose}
      onAct={() => void start()}
    >
      <div className={css("new-cast")}>
        <div className={css("new-cast-fields")}>
          {draft && (
            <p className={css("secondary")}>The cast uses your unsaved changes. Only a save writes the file.</p>
          )}
          <RequestField value={request} onType={setRequest} />
          <LastRequests onPick={setRequest} />
          <CastTargets catalog={catalog} chain={chain} composed={composed} onChange={setChain} />
          <OptionFields options={options} onOptions={setOptions} />
          <CommandLine text={`/materia ${commandText(withBudget(command, options))}`} />
        </div>
        <CastPreview targets={chain.targets} composed={composed} catalog={catalog} draft={draft} />
      </div>
      <IssueList issues={issues} />
    </ConfirmDialog>
  );
}

function whyNotReady(request: string, { dollars, rehearsal }: CastOptions): string | null {
  if (request.trim() === "") return "Write a request first";
  return /^\d*(\.\d+)?$/.test(dollars.trim()) ? (rehearsal?.fault ?? null) : "Write the budget as a number";
}

function withBudget<T extends CastCommand | LinkCommand>(command: T, { dollars }: CastOptions): T {
  return dollars.trim() === "" ? command : { ...command, costUsd: Number(dollars) };
}

const StoredTargets = v.object({
  targets: v.array(v.object({ kind: v.picklist(["materia", "loadout", "either"]), name: v.string() })),
  from: v.nullable(v.string()),
});

/** [E23] The targets survive the dialog and the page until the cast starts; null forgets them. */
function useTargets(catalog: Catalog, loadout: string) {
  const [text, setText] = useTextDraft("targets");
  const [isFixed, setFixed] = useState(loadout !== "");
  const stored = v.safeParse(StoredTargets, parseJson(text));
  const name = loadout === "" ? catalog.settings.activeLoadout.value : loadout;
  const chain: v.InferOutput<typeof StoredTargets> =
    stored.success && !isFixed ? stored.output : { targets: [{ kind: "loadout", name }], from: null };
  const setChain = (part: Partial<Pick<TargetChain, "targets" | "from">> | null): void => {
    setFixed(false);
    setText(part === null ? "" : JSON.stringify({ ...chain, ...part }));
  };
  return [chain, setChain] as const;
}

interface PickedReplies {
  readonly replies: unknown;
  readonly fault: string | null;
}

interface CastOptions {
  readonly model: string;
  readonly dollars: string;
  readonly rehearsal: PickedReplies | null;
  readonly tree: TreeChoice;
}

/** [YT1] Where the cast works: in the person's files, or in a separate working tree from HEAD or from these files. */
const TREE_CHOICES = [
  { value: "here", label: "Your working tree" },
  { value: "head", label: "Its own tree, from the last commit" },
  { value: "changes", label: "Its own tree, with your changes" },
] as const;
type TreeChoice = (typeof TREE_CHOICES)[number]["value"];

const NO_OPTIONS: CastOptions = { model: "", dollars: "", rehearsal: null, tree: "here" };

function useStart(
  cast: CastCommand | LinkCommand,
  options: CastOptions & { readonly draft: ConfigDraft | null },
  open: (castId: string) => void,
) {
  const { rehearsal, draft, tree } = options;
  const model = options.model.trim();
  const command = useCommand({ quiet: true });
  const isTreeInUse = command.isTreeInUse && tree === "here";
  const rehearsed = useStartRehearsal(open);
  const drafted = draft ? { draft } : {};
  const target: Pick<RehearsalRequest, "loadout" | "targets" | "draft"> = {
    ...("targets" in cast ? { targets: cast.targets.map(targetText) } : { loadout: cast.loadout ?? "" }),
    ...drafted,
  };
  const start = async (): Promise<void> => {
    // The server checks the replies, which come from a file.
    if (rehearsal)
      return rehearsed.begin({ ...target, prompt: cast.prompt, ...(rehearsal.replies as { replies: never }) });
    const sent = withoutUndefined({
      model: model || undefined,
      anyway: isTreeInUse ? (true as const) : undefined,
      worktree: tree === "here" ? undefined : (true as const),
      "with-changes": tree === "changes" ? (true as const) : undefined,
    });
    const castId = await command.run(withBudget(cast, options), "Started", { options: sent, ...drafted });
    return castId === null ? undefined : open(castId);
  };
  return {
    start,
    target,
    busy: command.busy !== null || rehearsed.busy,
    issues: [...command.issues, ...rehearsed.issues],
    isTreeInUse,
  };
}

function OptionFields(props: {
  readonly options: CastOptions;
  readonly onOptions: (options: CastOptions) => void;
}): ReactElement {
  const { options, onOptions } = props;
  const { catalog } = useCatalog();
  const pick = async (file: File | undefined): Promise<void> =>
    onOptions({ ...options, rehearsal: file ? await readReplies(file) : null });
  return (
    <>
      <ModelField value={options.model} onType={(model) => onOptions({ ...options, model })} />
      <LabelledTextField
        label="Budget in dollars (optional)"
        value={options.dollars}
        placeholder={String(catalog?.settings.budget.maxCostUsd ?? "no limit")}
        onType={(dollars) => onOptions({ ...options, dollars })}
      />
      <LabelledField label="Files">
        <Select
          label="Files"
          value={options.tree}
          options={TREE_CHOICES}
          onPick={(tree) => onOptions({ ...options, tree: tree as TreeChoice })} // one of these options
        />
      </LabelledField>
      <LabelledField label="Rehearsal file, to run without a model (optional)">
        <input type="file" accept=".json,application/json" onChange={(event) => void pick(event.target.files?.[0])} />
        {options.rehearsal?.fault != null && <span className={css("tone-bad")}>{options.rehearsal.fault}</span>}
      </LabelledField>
    </>
  );
}

async function readReplies(file: File): Promise<PickedReplies> {
  const parsed = parseJson(await file.text());
  const isReplies = typeof parsed === "object" && parsed !== null && "replies" in parsed;
  const { replies, onEmpty } = (isReplies ? parsed : {}) as { replies?: unknown; onEmpty?: unknown };
  return { replies: { replies, onEmpty }, fault: isReplies ? null : `${file.name} has no "replies"` };
}

function CommandLine({ text }: { readonly text: string }): ReactElement {
  return (
    <div className={css("command-line")}>
      <code className={css("grow")}>{text}</code>
      <CopyButton text={text} what="the command" />
    </div>
  );
}

const MAX_LAST_REQUESTS = 5;

function LastRequests({ onPick }: { readonly onPick: (request: string) => void }): ReactElement | null {
  const { casts } = useCasts();
  const last = [...new Set(casts.slice(0, 50).map(({ request }) => request))].slice(0, MAX_LAST_REQUESTS);
  if (last.length === 0) return null;
  return (
    <details>
      <summary>Last requests</summary>
      <ul>
        {last.map((request) => (
          <li key={request}>
            <button type="button" className={css("request-button cut")} dir="auto" onClick={() => onPick(request)}>
              {request}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
