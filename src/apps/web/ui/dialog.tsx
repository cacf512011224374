import {
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  type KeyboardEvent,
} from "react";
import { Button } from "./buttons.tsx";
import { css } from "./classes.ts";

/** A modal dialog. The browser traps the focus and restores it. Esc calls `onClose` too. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly onOutside?: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
  readonly className?: string;
}): ReactElement {
  const { title, onClose, children, onOutside = onClose, wide = false, className = "" } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // In the layout phase: only a dialog that is still in the page restores the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown && !shown.open) {
      shown.showModal();
      // Focus the content first, not the close button.
      const field = ":is(input, textarea, select):not([type=file])";
      const first = shown.querySelector<HTMLElement>("[data-first]") ?? shown.querySelector<HTMLElement>(field);
      first?.focus();
    }
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`${css(`dialog ${wide ? "wide" : ""}`)} ${className}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onOutside();
      }}
    >
      <div className={css("dialog-inner")}>
        <div className={css("dialog-head")}>
          <h2 id={heading}>{title}</h2>
          <Button look="bare" icon="cross" label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** A dialog with a confirm button. It asks before it discards typed text. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly off?: string | null;
  /** Its texts are stored as drafts: it may close without a question. */
  readonly keepsText?: boolean;
  readonly wide?: boolean;
  readonly beside?: ReactNode;
  readonly onClose: () => void;
  readonly onAct: () => void;
}): ReactElement {
  const { title, children, action, danger = false, busy = false, off, keepsText = false, wide = false } = props;
  const { onClose, onAct } = props;
  const form = useRef<HTMLFormElement>(null);
  const [isTyped, setTyped] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const holds = (): boolean => isTyped && hasText(form.current);
  const leave = (): void => (holds() && !keepsText ? setLeaving(true) : onClose());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy && (off === undefined || off === null)) onAct();
  };
  return (
    <Dialog title={title} onClose={leave} onOutside={() => (holds() ? undefined : onClose())} wide={wide}>
      <form ref={form} onSubmit={submit} onInput={() => setTyped(true)}>
        <div className={css("dialog-body")}>{children}</div>
        {isLeaving ? (
          <div className={css("dialog-foot")} role="alert">
            <span className={css("leaving")}>What you typed would be lost.</span>
            <Button onClick={() => setLeaving(false)}>Keep writing</Button>
            <Button look="danger" onClick={onClose}>
              Discard it
            </Button>
          </div>
        ) : (
          <div className={css("dialog-foot")}>
            <Button onClick={leave}>Cancel</Button>
            {props.beside}
            <Button look={danger ? "danger" : "primary"} type="submit" busy={busy} off={off}>
              {action}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}

function hasText(form: HTMLFormElement | null): boolean {
  const fields = form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input:not([type])") ?? [];
  return [...fields].some(({ value }) => value.trim() !== "");
}

/** A dialog that finds one of many by a few letters: arrow keys choose, Enter or a click picks. */
export function SearchDialog<T>(props: {
  readonly title: string;
  readonly label: string;
  readonly placeholder: string;
  readonly listLabel: string;
  readonly nothing: string;
  readonly find: (text: string) => readonly T[];
  readonly keyOf: (option: T) => string;
  readonly draw: (option: T) => ReactNode;
  readonly onPick: (option: T) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { find, keyOf, draw, onPick } = props;
  const [text, setText] = useState("");
  const list = useId();
  const found = find(text);
  const { at, setAt, onKey } = useOptionKeys(found, onPick);
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, list]);
  return (
    <Dialog title={props.title} onClose={props.onClose} className={css("search-dialog")}>
      <label className={css("field")}>
        <input
          role="combobox"
          aria-label={props.label}
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={found[at] === undefined ? undefined : `${list}-${at}`}
          placeholder={props.placeholder}
          value={text}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </label>
      <ul className={css("option-list")} id={list} role="listbox" aria-label={props.listLabel}>
        {found.map((option, index) => (
          <li
            key={keyOf(option)}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => onPick(option)}
          >
            {draw(option)}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={css("faint nothing-found")}>{props.nothing}</p>}
    </Dialog>
  );
}

/** Arrow keys move through the options of a combobox; Enter picks one. */
function useOptionKeys<T>(found: readonly T[], choose: (option: T) => void) {
  const [wanted, setAt] = useState(0);
  const at = Math.max(0, Math.min(wanted, found.length - 1));
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = found[at];
    if (step !== undefined) setAt(at + step);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && option !== undefined) choose(option);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { at, setAt, onKey };
}
