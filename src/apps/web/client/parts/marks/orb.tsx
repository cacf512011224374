import type { CSSProperties, ReactElement } from "react";
import type { Materia } from "../../../../../core/model/materia.ts";
import { classesOf } from "../../browser/classes.ts";
import orbSheet from "./orb.module.css";

const css = classesOf(orbSheet);

export const HUES = ["leaf", "lagoon", "azure", "violet", "rose", "ember", "gold", "slate"] as const;

/** A hue of the palette by its name, anything else as it was given; without one slate. */
export function hueStyle(color: string | undefined): CSSProperties {
  const known = HUES.find((hue) => hue === color);
  const value = known
    ? `var(--${known})`
    : color !== undefined && CSS.supports("color", color)
      ? color
      : "var(--slate)";
  return { "--m": value } as CSSProperties; // a property of our own, which the types do not know
}

const SIZES = { sm: "small-size", md: "", lg: "large" } as const;

export function Orb({
  materia,
  size = "md",
}: {
  readonly materia: Pick<Materia, "type" | "color"> | undefined;
  readonly size?: "sm" | "md" | "lg";
}): ReactElement {
  const shape = materia?.type === "utility" ? "utility" : materia?.type === "person" ? "person" : "";
  return <span className={css(`orb ${shape} ${SIZES[size]}`)} style={hueStyle(materia?.color)} aria-hidden="true" />;
}
