import { useId } from "react";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { Icon } from "../marks/icon.tsx";
import type { IconName } from "../marks/icon.tsx";

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

const LOOKS = { plain: "", primary: "pri", danger: "dng", bare: "bare" } as const;

export function Button(props: ButtonProps): ReactElement {
  const { look = "plain", icon, off, busy = false, label, children, className = "", onClick, ...rest } = props;
  const reason = useId();
  const isOff = off !== undefined && off !== null;
  return (
    <button
      type="button"
      {...rest}
      className={`btn ${LOOKS[look]} ${label !== undefined && children === undefined ? "ico" : ""} ${className}`}
      aria-disabled={isOff || busy || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      {...(isOff ? { title: off, "aria-describedby": reason } : label === undefined ? {} : { title: label })}
      onClick={(event) => {
        if (isOff || busy) return event.preventDefault();
        onClick?.(event);
      }}
    >
      {busy ? <span className="spin" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
      {isOff && (
        <span id={reason} className="sr">
          {off}
        </span>
      )}
    </button>
  );
}
