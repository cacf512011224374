import { useId, useLayoutEffect, useRef, useState, type FormEvent, type ReactElement, type ReactNode } from "react";
import { Button } from "./buttons.tsx";
import { css } from "./classes.ts";

/** A modal dialog. The browser traps the focus and restores it. Esc calls `onClose` too. */
export function Dialog({
  title,
  onClose,
  children,
  onOutside = onClose,
  wide = false,
  className = "",
}: {
  readonly title: string;
  readonly onClose: () => void;
  /** Called for a click outside the dialog. */
  readonly onOutside?: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
  readonly className?: string;
}): ReactElement {
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
  /** Another button, beside Cancel. */
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
          <DiscardPrompt onStay={() => setLeaving(false)} onLeave={onClose} />
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

function DiscardPrompt({
  onStay,
  onLeave,
}: {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}): ReactElement {
  return (
    <div className={css("dialog-foot")} role="alert">
      <span className={css("leaving")}>What you typed would be lost.</span>
      <Button onClick={onStay}>Keep writing</Button>
      <Button look="danger" onClick={onLeave}>
        Discard it
      </Button>
    </div>
  );
}
