type Sheet = Readonly<Record<string, string>>;

/**
 * Names as they stand in the style sheets of a component, separated by spaces → the names that the build made of them.
 * The first sheet that has a name decides; a state that no sheet knows has no look of its own.
 */
export function classesOf(...sheets: readonly Sheet[]): (names: string) => string {
  const known = new Map<string, string>();
  return (names) => {
    const before = known.get(names);
    if (before !== undefined) return before;
    const made = names
      .split(/\s+/)
      .flatMap((name) => sheets.find((sheet) => Object.hasOwn(sheet, name))?.[name] ?? [])
      .join(" ");
    known.set(names, made);
    return made;
  };
}
