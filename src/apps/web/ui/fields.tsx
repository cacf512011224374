import { useId, type ReactElement, type ReactNode } from "react";
import { Icon } from "./icons.tsx";
import { css } from "./classes.ts";

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

export function Select(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly SelectOption[];
  readonly onPick: (value: string) => void;
  readonly off?: boolean;
  readonly invalid?: boolean;
}): ReactElement {
  const { label, value, options, onPick, off = false, invalid = false } = props;
  const known = options.some((option) => option.value === value);
  return (
    <span className={css(`picker ${invalid ? "bad" : ""}`)}>
      <select
        aria-label={label}
        value={value}
        disabled={off}
        aria-invalid={invalid || undefined}
        onChange={(event) => onPick(event.target.value)}
      >
        {!known && <option value={value}>{value === "" ? "Choose" : `${value} (not known)`}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

export function SegmentedControl<V extends string>(props: {
  readonly label: string;
  readonly value: V;
  readonly options: Readonly<Partial<Record<V, string>>>;
  readonly titles?: Readonly<Partial<Record<V, string>>>;
  readonly onPick: (value: V) => void;
  readonly off?: boolean;
  readonly invalid?: boolean;
  readonly describedBy?: string | undefined;
}): ReactElement {
  const { label, value, options, titles, onPick, off = false, invalid = false, describedBy } = props;
  return (
    <span
      className={css(`segments ${invalid ? "bad" : ""}`)}
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
    >
      {(Object.keys(options) as V[]).map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          title={titles?.[option]}
          disabled={off}
          onClick={() => onPick(option)}
        >
          {options[option]}
        </button>
      ))}
    </span>
  );
}

export function FieldRow({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className={css("form-row")}>
      <span className={css("label")}>{label}</span>
      {children}
    </div>
  );
}

export function TextField(props: {
  readonly label: string;
  readonly value: string;
  readonly onType: (value: string) => void;
  readonly onDone?: () => void;
  readonly off?: boolean;
  readonly invalid?: string | null;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly before?: string;
  readonly numeric?: boolean;
  readonly className?: string;
}): ReactElement {
  const { label, value, onType, onDone, off = false, invalid = null, placeholder, mono = false, before } = props;
  const fault = useId();
  return (
    <>
      <label className={`${css(`field ${invalid === null ? "" : "bad"}`)} ${props.className ?? ""}`}>
        {before !== undefined && <span aria-hidden="true">{before}</span>}
        <input
          className={css(mono ? "monospace" : "")}
          aria-label={label}
          aria-invalid={invalid !== null || undefined}
          aria-describedby={invalid === null ? undefined : fault}
          inputMode={props.numeric === true ? "numeric" : undefined}
          value={value}
          placeholder={placeholder}
          readOnly={off}
          onChange={(event) => onType(event.target.value)}
          onBlur={onDone}
        />
      </label>
      {invalid !== null && <FieldError id={fault} text={invalid} />}
    </>
  );
}

/** The label stands above the field. */
export function LabelledTextField(props: Parameters<typeof TextField>[0]): ReactElement {
  return (
    <div className={css("option")}>
      <span className={css("label")}>{props.label}</span>
      <TextField {...props} />
    </div>
  );
}

export function FieldError(props: {
  readonly id?: string;
  readonly text: string;
  readonly warning?: boolean;
}): ReactElement {
  const { id, text, warning = false } = props;
  return (
    <div className={css(`fault ${warning ? "fault-warning" : ""}`)} id={id}>
      <Icon name="warning" />
      <span>{text}</span>
    </div>
  );
}

export function LabelledField(props: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <label className={css("option")}>
      <span className={css("label")}>{props.label}</span>
      {props.children}
    </label>
  );
}

/** A text of several lines, or code; Ctrl+Enter sends its form. */
export function TextArea(props: {
  readonly value: string;
  readonly onType: (value: string) => void;
  readonly placeholder?: string;
  readonly code?: boolean;
  /** Has the focus in a new dialog. */
  readonly first?: boolean;
}): ReactElement {
  const { value, onType, placeholder, code = false, first = false } = props;
  return (
    <span className={css("field")}>
      <textarea
        data-first={first || undefined}
        className={css(code ? "monospace" : "growing")}
        dir={code ? "ltr" : "auto"}
        rows={code ? 8 : 3}
        spellCheck={!code}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
      />
    </span>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly on: boolean;
  readonly onTurn: (on: boolean) => void;
}

export function Checkbox({ label, on, onTurn }: ToggleProps): ReactElement {
  return (
    <label className={css("row")}>
      <input type="checkbox" checked={on} onChange={(event) => onTurn(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

export function Switch({ label, on, onTurn }: ToggleProps): ReactElement {
  return (
    <button
      type="button"
      className={css(`switch ${on ? "switched-on" : ""}`)}
      role="switch"
      aria-checked={on}
      onClick={() => onTurn(!on)}
    >
      <i />
      {label}
    </button>
  );
}
