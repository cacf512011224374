import { useId, type ReactElement } from "react";
import { css } from "../ui/classes.ts";
import { useCatalog, useUsableModels } from "../data/use-catalog.ts";
import { LabelledField, TextArea } from "../ui/fields.tsx";

/** [W48] The model of a cast: those that Pi has a key for are suggested, then those of materia. */
export function ModelField(props: {
  /** The accessible name, for a field without its own label. */
  readonly named?: string;
  /** The model of the cast that runs again. */
  readonly usual?: string | null;
  readonly value: string;
  readonly onType: (model: string) => void;
}): ReactElement {
  const { named: name, value, onType } = props;
  const list = useId();
  const { catalog } = useCatalog();
  const { models } = useUsableModels();
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
          placeholder={name ?? props.usual ?? catalog?.settings.model ?? "Pi's default"}
          aria-label={name}
          spellCheck={false}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
      <datalist id={list}>
        {[...new Set([...models, ...named])].map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </label>
  );
}

export function RequestField(props: {
  readonly value: string;
  readonly onType: (request: string) => void;
}): ReactElement {
  return (
    <LabelledField label="Request">
      <TextArea first placeholder="What should be done" {...props} />
    </LabelledField>
  );
}
