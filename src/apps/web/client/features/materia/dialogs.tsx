import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { compile } from "../../../../../core/compile/targets/compile.ts";
import type { JsonObject } from "../../../../../core/model/values/json.ts";
import { NameDialog, freeName } from "../../dialogs/name-dialog.tsx";
import { RehearseDialog } from "../../dialogs/rehearse/rehearse-dialog.tsx";
import { Diff } from "../../dialogs/save/diff.tsx";
import { ReviewDialog } from "../../dialogs/save/review-dialog.tsx";
import { AskDialog, Dialog } from "../../parts/controls/dialog.tsx";
import { Segments } from "../../parts/controls/fields.tsx";
import { toast } from "../../parts/controls/toasts.tsx";
import { go, hrefOf } from "../../browser/route.ts";
import {
  beginMateria,
  dropMateria,
  isChanged,
  readMateriaDraft,
  renameMateria,
  restoreMateria,
  savedMateria,
  takeMateria,
  useDraftCatalog,
  type MateriaWork,
} from "./state/state.ts";
import { useBundled } from "./state/use-bundled.ts";
import { seatsOf } from "./state/used-by.ts";
import { classesOf } from "../../browser/classes.ts";
import marksSheet from "../../parts/marks/marks.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, marksSheet);

export type MateriaDialog = "review" | "compare" | "duplicate" | "rename" | "delete" | "new" | "rehearse" | "list";

interface DialogProps {
  readonly work: MateriaWork;
  readonly catalog: Catalog;
  readonly onClose: () => void;
}

export function MateriaDialogs(props: DialogProps & { readonly open: MateriaDialog | null }): ReactElement | null {
  switch (props.open) {
    case "review":
      return <Save {...props} />;
    case "compare":
      return <Compare {...props} />;
    case "rehearse":
      return <Rehearse {...props} />;
    case "delete":
      return <Delete {...props} />;
    case "rename":
    case "duplicate":
      return <Name {...props} what={props.open} />;
    case "new":
      return <New {...props} />;
    case "list":
    case null:
      return null;
  }
}

function Save({ work, catalog, onClose }: DialogProps): ReactElement {
  const { name, filed, history, was } = work;
  const seats = was === null ? [] : seatsOf(catalog, was);
  return (
    <ReviewDialog
      title={`Save ${name}`}
      action="Save"
      layer={work.layer ?? "project"}
      saving={{ section: "materia", name, text: history.present.text, filed, was }}
      problems={readMateriaDraft(name, history.present).issues}
      onClose={onClose}
      onTake={(taken) => {
        takeMateria(name, taken);
        onClose();
        toast({ text: `${taken.text === taken.filed ? "Theirs is" : "Both are"} shown. Undo brings yours back.` });
      }}
      onSaved={(layer) => {
        savedMateria(name, layer);
        onClose();
        toast({ text: `${name} is saved.`, tone: "ok" });
      }}
    >
      {seats.length > 0 && <p>{`Sockets of the same file that hold ${was} hold ${name} from then on.`}</p>}
    </ReviewDialog>
  );
}

function Delete({ work, catalog, onClose }: DialogProps): ReactElement {
  const { name, filed } = work;
  const bundled = useBundled(name);
  const loadouts = [...new Set(seatsOf(catalog, name).map(({ loadout }) => loadout))];
  const leave = (): void => {
    dropMateria(name);
    onClose();
    go(hrefOf("materia"));
    const act = (): void => {
      restoreMateria(work);
      go(hrefOf("materia", name));
    };
    toast({ text: `${name} is deleted.`, tone: "ok", action: { label: "Undo", act } });
  };
  const warning = bundled === null && loadouts.length > 0 && (
    <p className={css("note bad")}>
      {`${loadouts.join(", ")} ${loadouts.length === 1 ? "uses" : "use"} it and cannot be cast without it.`}
    </p>
  );
  if (filed === null) {
    return (
      <AskDialog title={`Delete ${name}`} action="Delete" danger onClose={onClose} onAct={leave}>
        <p>{`${name} was never saved. What you made of it goes.`}</p>
        {warning}
      </AskDialog>
    );
  }
  return (
    <ReviewDialog
      title={`Delete ${name}`}
      action="Delete"
      layer={work.layer ?? "project"}
      saving={{ section: "materia", name: work.was ?? name, text: null, filed, was: null }}
      problems={[]}
      onClose={onClose}
      onSaved={leave}
    >
      {warning}
    </ReviewDialog>
  );
}

function Compare({ work, onClose }: DialogProps): ReactElement {
  const { name, filed, history } = work;
  const bundled = useBundled(name);
  const what = bundled === null ? "as saved" : "bundled";
  return (
    <Dialog title={`${name}: ${what} and now`} onClose={onClose} wide>
      <div className={css("dialog-body")}>
        <Diff before={bundled ?? filed ?? ""} after={history.present.text} label={`${name}, ${what} and now`} />
      </div>
    </Dialog>
  );
}

function Rehearse({ work, catalog, onClose }: DialogProps): ReactElement | null {
  const { name, history } = work;
  const { value } = readMateriaDraft(name, history.present);
  const made = compile([{ kind: "materia", name }], useDraftCatalog(catalog, name, value));
  if (!made.ok) {
    return (
      <AskDialog title={`Rehearse ${name}`} action="Close" onClose={onClose} onAct={onClose}>
        {made.issues.map(({ message }) => (
          <p key={message} className={css("note bad")}>
            {message}
          </p>
        ))}
      </AskDialog>
    );
  }
  const isDraft = isChanged(work);
  const warning = isDraft ? "It is rehearsed as you see it. Its file stays as it is until you save." : null;
  return (
    <RehearseDialog
      title={`Rehearse ${name}`}
      graph={made.value.graph}
      target={{
        targets: [`materia:${name}`],
        ...(isDraft ? { draft: { materia: { [name]: history.present.raw } } } : {}),
      }}
      warning={warning}
      onClose={onClose}
    />
  );
}

function Name({ work, catalog, onClose, what }: DialogProps & { readonly what: "rename" | "duplicate" }): ReactElement {
  const { name, history } = work;
  const taken = (each: string): boolean => catalog.materia.has(each);
  return (
    <NameDialog
      title={what === "rename" ? `Rename ${name}` : `Duplicate ${name}`}
      action={what === "rename" ? "Rename" : "Duplicate"}
      initial={what === "rename" ? name : freeName(name, taken)}
      taken={taken}
      note={what === "rename" ? "The file is changed when you save." : "Nothing is written before you save."}
      onClose={onClose}
      onName={(next) => {
        if (what === "rename") renameMateria(name, next);
        else beginMateria(next, history.present.raw);
        onClose();
        go(hrefOf("materia", next));
      }}
    />
  );
}

/** Each of them runs as it is. */
const STARTS = {
  agent: { type: "agent", prompt: "Do what the request asks:\n{{request}}" },
  utility: { type: "utility", command: ["echo", "done"] },
  gate: { type: "utility", gate: true, command: ["npm", "test"] },
  person: { type: "person", question: "Is this as it should be?\n{{request}}" },
} as const satisfies Readonly<Record<string, JsonObject>>;
type Start = keyof typeof STARTS;

const WHAT_FOR: Readonly<Record<Start, string>> = {
  agent: "A model does something, with a prompt.",
  utility: "A program does something; no model is asked.",
  gate: "A program answers yes or no by its exit code, such as your tests.",
  person: "You are asked, and the cast waits for your answer.",
};

function New({ catalog, onClose }: DialogProps): ReactElement {
  const [kind, setKind] = useState<Start>("agent");
  const taken = (each: string): boolean => catalog.materia.has(each);
  return (
    <NameDialog
      title="New materia"
      action="Create"
      initial={taken("My-Materia") ? freeName("My-Materia", taken) : "My-Materia"}
      taken={taken}
      note="Nothing is written before you save."
      onClose={onClose}
      onName={(next) => {
        beginMateria(next, STARTS[kind]);
        onClose();
        go(hrefOf("materia", next));
      }}
    >
      <Segments<Start>
        label="Kind"
        value={kind}
        options={[
          { value: "agent", label: "Agent" },
          { value: "utility", label: "Utility" },
          { value: "gate", label: "Gate" },
          { value: "person", label: "Person" },
        ]}
        onPick={setKind}
      />
      <p>{WHAT_FOR[kind]}</p>
    </NameDialog>
  );
}
