type CssModule = Readonly<Record<string, string>>;

type ClassNameIn<S> = S extends unknown ? keyof S & string : never;

type SplitWords<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | SplitWords<Rest> : Text;

/** The text itself where every word of it is a known class; otherwise what is wrong with it. */
type CheckedClassNames<Text extends string, Known extends string> = [Exclude<SplitWords<Text>, Known | "">] extends [
  never,
]
  ? Text
  : `no style sheet here has the class ${Exclude<SplitWords<Text>, Known | "">}`;

/**
 * Names as they stand in the style sheets of a component, separated by spaces → the names that the build made of them.
 * The first sheet that has a name decides. A name that none of them has does not compile.
 */
export function bindClassNames<const Sheets extends readonly CssModule[]>(
  ...sheets: Sheets
): <const Text extends string>(names: CheckedClassNames<Text, ClassNameIn<Sheets[number]>>) => string {
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
