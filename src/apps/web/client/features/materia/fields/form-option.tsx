import type { ReactElement, ReactNode } from "react";
import { classesOf } from "../../../browser/classes.ts";
import dialogSheet from "../../../parts/controls/dialog.module.css";
import materiaSheet from "../look/materia.module.css";

const css = classesOf(materiaSheet, dialogSheet);

export function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function FormOption({
  label,
  whole = false,
  children,
}: {
  readonly label: string;
  readonly whole?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={css(whole ? "form-option whole" : "form-option")}>
      <span className={css("label")}>{label}</span>
      {children}
    </div>
  );
}
