import { useRef, type KeyboardEvent, type ReactElement, type ReactNode } from "react";
import { css } from "./classes.ts";

export interface Tab<K extends string> {
  readonly key: K;
  readonly label: string;
  /** A count after the label. */
  readonly count?: ReactNode;
}

/** One tab stop; arrow keys select. The panel is `<div role="tabpanel" aria-labelledby={tabId(name, key)}>`. */
export function Tabs<K extends string>(props: {
  readonly name: string;
  readonly label: string;
  readonly tabs: readonly Tab<K>[];
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
          {count !== undefined && <span className={css("count")}>{count}</span>}
        </button>
      ))}
    </div>
  );
}

export function tabId(name: string, key: string): string {
  return `tab-${name}-${key}`;
}
