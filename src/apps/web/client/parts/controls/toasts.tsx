import { useSyncExternalStore } from "react";
import type { ReactElement } from "react";
import { Button } from "./button.tsx";

export interface Toast {
  readonly text: string;
  readonly tone?: "ok" | "bad" | "plain";
  /** One thing that can be done about it, such as Undo. */
  readonly action?: { readonly label: string; readonly act: () => void };
}

type Shown = Toast & { readonly key: number };

const STAYS_MS = 6_000;
let shown: readonly Shown[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Says something in passing. What went wrong stays until it is closed. */
export function toast(news: Toast): void {
  last += 1;
  const key = last;
  set([...shown.slice(-3), { ...news, key }]);
  if (news.tone !== "bad") setTimeout(() => close(key), STAYS_MS);
}

function close(key: number): void {
  set(shown.filter((each) => each.key !== key));
}

function set(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function Toasts(): ReactElement {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {all.map(({ key, text, tone = "plain", action }) => (
        <div key={key} className={`toast ${tone}`}>
          <span className="grow">{text}</span>
          {action && (
            <Button
              onClick={() => {
                action.act();
                close(key);
              }}
            >
              {action.label}
            </Button>
          )}
          <Button look="bare" icon="cross" label="Close" onClick={() => close(key)} />
        </div>
      ))}
    </div>
  );
}
