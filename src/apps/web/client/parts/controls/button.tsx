import { useId, type ComponentProps, type ReactElement, type ReactNode } from "react";
import { Icon, type IconName } from "../marks/icon.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../marks/marks.module.css";
import controlsSheet from "./controls.module.css";

const css = bindClassNames(controlsSheet, marksSheet, baseSheet);

export interface ButtonProps extends Omit<ComponentProps<"button">, "disabled"> {
  readonly look?: "plain" | "primary" | "danger" | "bare";
  readonly icon?: IconName;
  /** Why it cannot act now; the button keeps its place and says so. */
  readonly off?: string | null | undefined;
  readonly busy?: boolean;
  /** Only the icon is seen; the name is still told. */
  readonly label?: string;
  readonly children?: ReactNode;
}

const LOOK_CLASSES = { plain: "", primary: "primary", danger: "danger", bare: "bare" } as const;

export function Button(props: ButtonProps): ReactElement {
  const { look = "plain", icon, off, busy = false, label, children, className = "", onClick, ...rest } = props;
  const reason = useId();
  const isOff = off !== undefined && off !== null;
  return (
    <button
      type="button"
      {...rest}
      className={`${css(`control-button ${LOOK_CLASSES[look]} ${label !== undefined && children === undefined ? "icon-only" : ""}`)} ${className}`}
      aria-disabled={isOff || busy || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      {...(isOff ? { title: off, "aria-describedby": reason } : label === undefined ? {} : { title: label })}
      onClick={(event) => {
        if (isOff || busy) return event.preventDefault();
        onClick?.(event);
      }}
    >
      {busy ? <span className={css("spinner")} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
      {isOff && (
        <span id={reason} className={css("spoken")}>
          {off}
        </span>
      )}
    </button>
  );
}
