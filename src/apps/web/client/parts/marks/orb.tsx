import type { CSSProperties, ReactElement } from "react";
import type { Materia } from "../../../../../core/model/materia.ts";
import { bindClassNames } from "../../browser/classes.ts";
import orbSheet from "./orb.module.css";

const materiaIconCss = bindClassNames(orbSheet);

export const MATERIA_COLORS = ["leaf", "lagoon", "azure", "violet", "rose", "ember", "gold", "slate"] as const;

/** A hue of the palette by its name, anything else as it was given; without one slate. */
export function materiaColorStyle(color: string | undefined): CSSProperties {
  const known = MATERIA_COLORS.find((hue) => hue === color);
  const value = known
    ? `var(--${known})`
    : color !== undefined && CSS.supports("color", color)
      ? color
      : "var(--slate)";
  return { "--m": value } as CSSProperties; // a property of our own, which the types do not know
}

const ICON_SIZE_CLASSES = { sm: "small-size", md: "", lg: "large" } as const;

export function MateriaIcon({
  materia,
  size = "md",
}: {
  readonly materia: Pick<Materia, "type" | "color"> | undefined;
  readonly size?: "sm" | "md" | "lg";
}): ReactElement {
  const shape = materia?.type === "utility" ? "utility" : materia?.type === "person" ? "person" : "";
  return <span className={materiaIconCss(`orb ${shape} ${ICON_SIZE_CLASSES[size]}`)} style={materiaColorStyle(materia?.color)} aria-hidden="true" />;
}
