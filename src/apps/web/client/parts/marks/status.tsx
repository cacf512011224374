import type { ReactElement, ReactNode } from "react";
import { type CastStatus, statusText } from "../../../../../core/view/casts.ts";
import { Icon, type IconName } from "./icon.tsx";
import { classesOf } from "../../browser/classes.ts";
import marksSheet from "./marks.module.css";

const css = classesOf(marksSheet);

const MARKS = {
  running: { icon: "running", tone: "running" },
  waiting: { icon: "waiting", tone: "waiting-tone" },
  completed: { icon: "tick", tone: "good" },
  not_satisfied: { icon: "not_satisfied", tone: "rework" },
  failed: { icon: "cross", tone: "bad" },
  aborted: { icon: "aborted", tone: "off" },
  interrupted: { icon: "interrupted", tone: "off" },
  queued: { icon: "queued", tone: "off" },
} as const satisfies Record<CastStatus, { readonly icon: IconName; readonly tone: string }>;

export function Status({
  status,
  children,
}: {
  readonly status: CastStatus;
  readonly children?: ReactNode;
}): ReactElement {
  const { icon, tone } = MARKS[status];
  return (
    <span className={css(`status ${tone}`)}>
      <Icon name={icon} />
      {capital(statusText(status))}
      {children}
    </span>
  );
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
