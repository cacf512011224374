import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent, ReactElement } from "react";
import { Button } from "./button.tsx";
import { classesOf } from "../../browser/classes.ts";
import controlsSheet from "./controls.module.css";

const css = classesOf(controlsSheet);

export interface MenuItem {
  readonly label: string;
  readonly act: () => void;
  /** Why it cannot act now; it keeps its place and says so. */
  readonly off?: string | null;
}

/** What is done less often, behind one button. Arrow keys move, Esc closes and gives the focus back. */
export function Menu({ label, items }: { readonly label: string; readonly items: readonly MenuItem[] }): ReactElement {
  const { box, isOpen, setOpen, close, onKeyDown } = useOpening();
  const list = useId();
  return (
    <div className={css("menu")} ref={box} onKeyDown={onKeyDown}>
      <Button
        icon="down"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? list : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && (
        <div className={css("menu-items")} role="menu" id={list} aria-label={label}>
          {items.map(({ label: text, act, off = null }) => (
            <Button
              key={text}
              look="bare"
              role="menuitem"
              tabIndex={-1}
              off={off}
              onClick={() => {
                close();
                act();
              }}
            >
              {text}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

function useOpening() {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const entries = (): readonly HTMLElement[] => [
    ...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []),
  ];
  const close = (): void => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    entries()[0]?.focus();
    const away = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) setOpen(false);
    };
    const kinds = ["pointerdown", "focusin"];
    for (const kind of kinds) document.addEventListener(kind, away);
    return () => kinds.forEach((kind) => document.removeEventListener(kind, away));
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (!isOpen || (to === undefined && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (to === undefined) close();
    else all.at(to % all.length)?.focus();
  };
  return { box, isOpen, setOpen, close, onKeyDown };
}
