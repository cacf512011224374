import { useId, type ReactElement, type ReactNode } from "react";
import { Icon } from "./icons.tsx";
import { css } from "./classes.ts";

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/** A native select. */
export function Select(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly SelectOption[];
  readonly onPick: (value: string) => void;
  readonly off?: boolean;
  readonly invalid?: boolean;
  readonly className?: string;
  readonly describedBy?: string;
}): ReactElement {
  const { label, value, options, onPick, off = false, invalid = false, className = "", describedBy } = props;
  const known = options.some((option) => option.value === value);
  return (
    <span className={`${css(`picker ${invalid ? "bad" : ""}`)} ${className}`}>
      <select
        aria-label={label}
        value={value}
        disabled={off}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
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
  readonly options: readonly { readonly value: V; readonly label: string; readonly title?: string }[];
  readonly onPick: (value: V) => void;
  readonly off?: boolean;
  readonly invalid?: boolean;
  readonly describedBy?: string | undefined;
}): ReactElement {
  const { label, value, options, onPick, off = false, invalid = false, describedBy } = props;
  return (
    <span
      className={css(`segments ${invalid ? "bad" : ""}`)}
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          title={option.title}
          disabled={off}
          onClick={() => onPick(option.value)}
        >
          {option.label}
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

/** A text input whose typing is one undo step. */
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

export function FieldError({
  id,
  text,
  warning = false,
}: {
  readonly id?: string;
  readonly text: string;
  readonly warning?: boolean;
}): ReactElement {
  return (
    <div className={css(`fault ${warning ? "fault-warning" : ""}`)} id={id}>
      <Icon name="warning" />
      <span>{text}</span>
    </div>
  );
}

/** A switch with a label. */
export function Switch(props: {
  readonly label: string;
  readonly on: boolean;
  readonly onTurn: (on: boolean) => void;
  readonly off?: boolean;
}): ReactElement {
  const { label, on, onTurn, off = false } = props;
  return (
    <button
      type="button"
      className={css(`switch ${on ? "switched-on" : ""}`)}
      role="switch"
      aria-checked={on}
      disabled={off}
      onClick={() => onTurn(!on)}
    >
      <i />
      {label}
    </button>
  );
}
