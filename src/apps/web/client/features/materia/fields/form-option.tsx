import type { ReactElement, ReactNode } from "react";
import { bindClassNames } from "../../../browser/classes.ts";
import dialogSheet from "../../../parts/controls/dialog.module.css";
import materiaSheet from "../look/materia.module.css";

const formOptionCss = bindClassNames(materiaSheet, dialogSheet);

export function stringOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function FormField({
  label,
  whole = false,
  children,
}: {
  readonly label: string;
  readonly whole?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={formOptionCss(whole ? "form-option whole" : "form-option")}>
      <span className={formOptionCss("label")}>{label}</span>
      {children}
    </div>
  );
}
