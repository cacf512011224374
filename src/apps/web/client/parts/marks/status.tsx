import type { ReactElement, ReactNode } from "react";
import { type CastStatus, statusText } from "../../../../../core/view/casts.ts";
import { Icon, type IconName } from "./icon.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import marksSheet from "./marks.module.css";

const css = bindClassNames(marksSheet);

const STATUS_LOOKS = {
  running: { icon: "running", tone: "running" },
  waiting: { icon: "waiting", tone: "waiting-tone" },
  completed: { icon: "tick", tone: "good" },
  not_satisfied: { icon: "not_satisfied", tone: "rework" },
  failed: { icon: "cross", tone: "bad" },
  aborted: { icon: "aborted", tone: "off" },
  interrupted: { icon: "interrupted", tone: "off" },
  queued: { icon: "queued", tone: "off" },
} as const satisfies Record<CastStatus, { readonly icon: IconName; readonly tone: string }>;

export function CastStatusLabel({
  status,
  children,
}: {
  readonly status: CastStatus;
  readonly children?: ReactNode;
}): ReactElement {
  const { icon, tone } = STATUS_LOOKS[status];
  return (
    <span className={css(`status ${tone}`)}>
      <Icon name={icon} />
      {capitalize(statusText(status))}
      {children}
    </span>
  );
}

export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
