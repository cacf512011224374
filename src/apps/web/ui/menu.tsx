import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { Button } from "./buttons.tsx";
import type { IconName } from "./icons.tsx";
import { css } from "./classes.ts";

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
  readonly items: readonly MenuItem[];
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
        <MenuPopover label={label} items={items} opener={`[data-menu="${id}"]`} onClose={() => setOpen(false)} />
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
