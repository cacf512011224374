import {
  useId,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  useRef,
  type KeyboardEvent,
  useLayoutEffect,
  useState,
} from "react";
import { Icon, type IconName } from "./icons.tsx";
import { css } from "./classes.ts";
import type { UndoHistory } from "../../../core/edit/undo-history.ts";
import { groupedText } from "../../../core/view/numbers.ts";

export interface ButtonProps extends Omit<ComponentProps<"button">, "disabled"> {
  readonly look?: "plain" | "primary" | "danger" | "bare";
  readonly icon?: IconName;
  /** Why the button is disabled; it stays in place and shows the reason. */
  readonly off?: string | null | undefined;
  readonly busy?: boolean;
  /** Shows only the icon; screen readers get the name. */
  readonly label?: string;
  readonly children?: ReactNode;
}

export function Button(props: ButtonProps): ReactElement {
  const { look = "plain", icon, off, busy = false, label, children, className = "", onClick, ...rest } = props;
  const reason = useId();
  const isOff = off !== undefined && off !== null;
  return (
    <button
      type="button"
      {...rest}
      className={`${css(`control-button ${look === "plain" ? "" : look} ${label !== undefined && children === undefined ? "icon-only" : ""}`)} ${className}`}
      aria-disabled={isOff || busy || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      {...(isOff ? { title: off, "aria-describedby": reason } : label === undefined ? {} : { title: label })}
      onClick={(event) => {
        if (isOff || busy) return event.preventDefault();
        onClick?.(event);
      }}
    >
      {busy ? <span className={css("spinner")} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
      {isOff && (
        <span id={reason} className={css("spoken")}>
          {off}
        </span>
      )}
    </button>
  );
}

export function UndoRedoButtons<T>(props: {
  readonly history: UndoHistory<T>;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}): ReactElement {
  const { history, onUndo, onRedo } = props;
  const steps = [
    { icon: "undo", word: "Undo", step: history.past.at(-1), act: onUndo },
    { icon: "redo", word: "Redo", step: history.future[0], act: onRedo },
  ] as const;
  return (
    <>
      {steps.map(({ icon, word, step, act }) => (
        <Button
          key={icon}
          look="bare"
          icon={icon}
          label={step ? `${word}: ${step.what}` : word}
          off={step ? null : `Nothing to ${icon}`}
          onClick={act}
        />
      ))}
    </>
  );
}

/** One tab stop; arrow keys select. The panel is `<div role="tabpanel" aria-labelledby={tabId(name, key)}>`. */
export function Tabs<K extends string>(props: {
  readonly name: string;
  readonly label: string;
  readonly tabs: readonly { readonly key: K; readonly label: string; readonly count?: ReactNode }[];
  readonly chosen: K;
  readonly onChoose: (key: K) => void;
  readonly className?: string;
}): ReactElement {
  const { name, label, tabs, chosen, onChoose, className = "" } = props;
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
    const at = tabs.findIndex(({ key }) => key === chosen);
    const to =
      event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : (at + step + tabs.length) % tabs.length;
    const tab = tabs[to];
    if (!tab || to === at) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(tab.key);
    list.current?.querySelectorAll<HTMLButtonElement>("[role=tab]")[to]?.focus();
  };
  return (
    <div className={`${css("tabs")} ${className}`} role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ key, label: text, count }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={tabId(name, key)}
          aria-selected={key === chosen}
          tabIndex={key === chosen ? 0 : -1}
          onClick={() => onChoose(key)}
        >
          {text}
          {count !== undefined && (
            <span className={css("count")}>{typeof count === "number" ? groupedText(count) : count}</span>
          )}
        </button>
      ))}
    </div>
  );
}

export function tabId(name: string, key: string): string {
  return `tab-${name}-${key}`;
}

export interface MenuItem {
  readonly label: string;
  readonly act: () => void;
  /** Why the entry is disabled; it stays in place and shows the reason. */
  readonly off?: string | null;
}

/** A button with a menu of rarer actions. Arrow keys move, Esc closes. */
export function Menu(props: {
  readonly label: string;
  readonly icon?: IconName;
  /** Made when it opens: a long list has many menus. */
  readonly items: () => readonly MenuItem[];
}): ReactElement {
  const { label, icon, items } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const opening = { "aria-haspopup": "menu", "aria-expanded": isOpen, onClick: () => setOpen(!isOpen) } as const;
  return (
    <span data-menu={id}>
      {icon ? (
        <Button icon={icon} label={label} {...opening} />
      ) : (
        <Button icon="down" {...opening}>
          {label}
        </Button>
      )}
      {isOpen && (
        <MenuPopover label={label} items={items()} opener={`[data-menu="${id}"]`} onClose={() => setOpen(false)} />
      )}
    </span>
  );
}

/** In the top layer, so that no panel clips it. A click elsewhere closes it. */
function MenuPopover(props: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly opener: string;
  readonly onClose: () => void;
}): ReactElement {
  const { label, items, opener, onClose } = props;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = list.current;
    if (!shown) return;
    shown.showPopover();
    const from = document.querySelector(opener)?.getBoundingClientRect();
    const left = (from?.right ?? 0) - shown.offsetWidth;
    shown.style.left = `${Math.max(8, Math.min(left, innerWidth - shown.offsetWidth - 8))}px`;
    shown.style.top = `${Math.min((from?.bottom ?? 0) + 4, Math.max(8, innerHeight - shown.offsetHeight - 8))}px`;
    shown.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [opener]);
  const move = (event: KeyboardEvent): void => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    // Ignore page keys while a menu is open.
    event.stopPropagation();
    if (event.key === "Tab") onClose();
    if (to === undefined) return;
    event.preventDefault();
    all.at(to % all.length)?.focus();
  };
  return (
    <div
      ref={list}
      popover="auto"
      className={css("menu-items")}
      role="menu"
      aria-label={label}
      onKeyDown={move}
      onToggle={(event) => {
        if (event.newState === "closed") onClose();
      }}
    >
      {items.map(({ label: text, act, off = null }) => (
        <Button
          key={text}
          look="bare"
          role="menuitem"
          tabIndex={-1}
          off={off}
          onClick={() => {
            // Focus the button first: a dialog restores the focus to there.
            list.current?.hidePopover();
            act();
          }}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}
