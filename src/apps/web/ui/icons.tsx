import type { ReactElement, CSSProperties } from "react";
import { css } from "./classes.ts";
import type { Materia } from "../../../core/model/materia.ts";

const ICON_PATHS = {
  search: "M7 3a4 4 0 100 8 4 4 0 000-8zM10 10l3.5 3.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  cross: "M4 4l8 8M12 4l-8 8",
  bin: "M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.600 8.500h5.800l.600-8.500M6.800 7v3.500M9.200 7v3.500",
  tick: "M3 8.5l3.2 3.2L13 5",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  first: "M12 3L7 8l5 5M4 3v10",
  before: "M10 3L5 8l5 5",
  after: "M6 3l5 5-5 5",
  rework: "M4 6h6a3 3 0 010 6H6M6.5 3.5L4 6l2.5 2.5",
  undo: "M3 7h6.5a3.5 3.5 0 010 7H6M5.5 4.5L3 7l2.5 2.5",
  redo: "M13 7H6.5a3.5 3.5 0 000 7H10M10.5 4.5L13 7l-2.5 2.5",
  loop: "M3 8a4 4 0 014-4h5M13 8a4 4 0 01-4 4H4M10 2l2 2-2 2M6 14l-2-2 2-2",
  more: "M3.5 8v.01M8 8v.01M12.500 8v.01",
  warning: "M8 2.5l6 11H2zM8 7v3M8 12v.01",
  copy: "M5.500 6.500a1 1 0 011-1h6a1 1 0 011 1v6a1 1 0 01-1 1h-6a1 1 0 01-1-1zM10.500 3H3.500a1 1 0 00-1 1v6.500",
  play: "M5 3.500l7 4.500-7 4.500z",
  lock: "M4 7.500h8v6H4zM5.500 7.500V5a2.500 2.500 0 015 0v2.500",
  settings: "M2 4.500h6M11 4.500h3M9.500 3v3M2 11.500h3M8 11.500h6M6.500 10v3",
  theme:
    "M8 5a3 3 0 100 6 3 3 0 000-6zM8 1.500V3M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M3.400 12.600l1-1M11.600 4.400l1-1",
  casts: "M5 4h9M5 8h9M5 12h9M2 4v.01M2 8v.01M2 12v.01",
  loadouts: "M4 2a2 2 0 100 4 2 2 0 000-4zM12 10a2 2 0 100 4 2 2 0 000-4zM4 6v3a3 3 0 003 3h3",
  materia: "M8 2.500a5.500 5.500 0 100 11 5.500 5.500 0 000-11zM5.500 7A2.800 2.800 0 018 5",
  fleet: "M3 3h10v4H3zM3 9h10v4H3zM5.500 5v.01M5.500 11v.01",
  running: "M8 2.500a5.500 5.500 0 100 11 5.500 5.500 0 000-11zM8 5v3l2 1.500",
  waiting: "M5 3v10M11 3v10",
  queued: "M4.500 2.500h7M4.500 13.500h7M5.500 2.500v2L8 8l-2.500 3.500v2M10.500 2.500v2L8 8l2.500 3.500v2",
  not_satisfied: "M8 2.500a5.500 5.500 0 100 11 5.500 5.500 0 000-11zM5 8h6",
  aborted: "M5 4h6a1 1 0 011 1v6a1 1 0 01-1 1H5a1 1 0 01-1-1V5a1 1 0 011-1z",
  interrupted: "M2 8h3M11 8h3M7 5l2 6",
} as const;

export type IconName = keyof typeof ICON_PATHS;

/** A decorative 16 by 16 icon: the text beside it or its control has the name. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className={css("icon")} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

export const MATERIA_COLORS = ["leaf", "lagoon", "azure", "violet", "rose", "ember", "gold", "slate"] as const;

/** A palette color by name, or any CSS color; slate by default. */
export function materiaColorStyle(color: string | undefined): CSSProperties {
  const known = MATERIA_COLORS.find((hue) => hue === color);
  const value = known
    ? `var(--${known})`
    : color !== undefined && CSS.supports("color", color)
      ? color
      : "var(--slate)";
  return { "--m": value } as CSSProperties; // a custom property, which the types do not have
}

const ICON_SIZE_CLASSES = { sm: "small-size", md: "", lg: "large" } as const;

export function MateriaIcon(props: {
  readonly materia: Pick<Materia, "type" | "color"> | undefined;
  readonly size?: "sm" | "md" | "lg";
}): ReactElement {
  const { materia, size = "md" } = props;
  const shape = materia?.type === "utility" ? "utility" : materia?.type === "person" ? "person" : "";
  return (
    <span
      className={css(`materia-icon ${shape} ${ICON_SIZE_CLASSES[size]}`)}
      style={materiaColorStyle(materia?.color)}
      aria-hidden="true"
    />
  );
}
