import type { ReactElement } from "react";
import { openStore, useStore } from "../../browser/store.ts";
import { Button } from "./button.tsx";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import toastsSheet from "./toasts.module.css";

const css = classesOf(toastsSheet, baseSheet);

export interface Toast {
  readonly text: string;
  readonly tone?: "ok" | "bad" | "plain";
  /** One thing that can be done about it, such as Undo. */
  readonly action?: { readonly label: string; readonly act: () => void };
}

type Shown = Toast & { readonly key: number };

const TONES = { ok: "toast-good", bad: "toast-bad", plain: "" } as const;
const STAYS_MS = 6_000;
const shown = openStore<readonly Shown[]>([]);
let last = 0;

/** Says something in passing. What went wrong stays until it is closed. */
export function toast(news: Toast): void {
  last += 1;
  const key = last;
  shown.set([...shown.get().slice(-3), { ...news, key }]);
  if (news.tone !== "bad") setTimeout(() => close(key), STAYS_MS);
}

function close(key: number): void {
  shown.set(shown.get().filter((each) => each.key !== key));
}

export function Toasts(): ReactElement {
  const all = useStore(shown);
  return (
    <div className={css("toasts")} role="status" aria-live="polite">
      {all.map(({ key, text, tone = "plain", action }) => (
        <div key={key} className={css(`toast ${TONES[tone]}`)}>
          <span className={css("grow")}>{text}</span>
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
