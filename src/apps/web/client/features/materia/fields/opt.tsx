import type { ReactElement, ReactNode } from "react";

export function textOf(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function Opt({
  label,
  whole = false,
  children,
}: {
  readonly label: string;
  readonly whole?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={whole ? "opt whole" : "opt"}>
      <span className="lb">{label}</span>
      {children}
    </div>
  );
}
