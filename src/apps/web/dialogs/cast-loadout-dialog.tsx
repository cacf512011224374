import { useState, type ReactElement, useId } from "react";
import type { ConfigDraft, TypedCommand, TypedCommandOptions } from "../../../core/wire/commands.ts";
import { useCommand } from "../data/use-command.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { css } from "../ui/classes.ts";
import { useCatalog } from "../data/use-catalog.ts";

/** [E28] Casts a loadout with its unsaved changes. */
export function CastLoadoutDialog(props: {
  readonly loadout: string;
  readonly draft: ConfigDraft | null;
  readonly off: string | null;
  readonly onClose: () => void;
}): ReactElement {
  const { loadout, draft, off, onClose } = props;
  const [request, setRequest] = useTextDraft("request");
  const [model, setModel] = useState("");
  const command = useCommand({ quiet: true });
  const start = async (): Promise<void> => {
    const options: TypedCommandOptions = {
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(command.isTreeInUse ? { anyway: true } : {}),
    };
    const cast: TypedCommand = { kind: "cast", prompt: request.trim(), loadout };
    const castId = await command.run(cast, "Started", { options, ...(draft ? { draft } : {}) });
    if (castId === null) return;
    setRequest("");
    onClose();
    navigate(hrefOf("casts", castId));
  };
  return (
    <ConfirmDialog
      title={`Cast ${loadout}`}
      action={command.isTreeInUse ? "Cast anyway" : "Cast"}
      keepsText
      busy={command.busy !== null}
      off={off ?? (request.trim() === "" ? "Write a request first" : null)}
      onClose={onClose}
      onAct={() => void start()}
    >
      {draft && <p className={css("secondary")}>The cast uses your unsaved changes. Only a save writes the file.</p>}
      <RequestField value={request} onType={setRequest} />
      <ModelField value={model} onType={setModel} />
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}

/** The model of a cast: any that Pi knows; models of materia are suggested. */
export function ModelField(props: {
  /** The accessible name, for a field without its own label. */
  readonly named?: string;
  readonly value: string;
  readonly onType: (model: string) => void;
}): ReactElement {
  const { named: name, value, onType } = props;
  const list = useId();
  const { catalog } = useCatalog();
  const named = [...(catalog?.materia.values() ?? [])].flatMap(({ value: own }) =>
    own?.type === "agent" && own.model !== undefined ? [own.model] : [],
  );
  return (
    <label className={css("option")}>
      {name === undefined && <span className={css("label")}>Model (optional)</span>}
      <span className={css("field")}>
        <input
          className={css("monospace")}
          list={list}
          value={value}
          placeholder={catalog?.settings.model ?? "Pi's default"}
          aria-label={name}
          spellCheck={false}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
      <datalist id={list}>
        {[...new Set(named)].map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </label>
  );
}

/** The request of a cast; Ctrl+Enter starts it. */
export function RequestField(props: {
  readonly value: string;
  readonly onType: (request: string) => void;
}): ReactElement {
  const { value, onType } = props;
  return (
    <label className={css("option")}>
      <span className={css("label")}>Request</span>
      <span className={css("field")}>
        <textarea
          data-first
          className={css("growing")}
          dir="auto"
          rows={3}
          value={value}
          placeholder="What should be done"
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
      </span>
    </label>
  );
}
