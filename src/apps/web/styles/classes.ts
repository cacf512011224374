type CssModule = Readonly<Record<string, string>>;

type ClassNameIn<S> = S extends unknown ? keyof S & string : never;

type SplitWords<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | SplitWords<Rest> : Text;

/** The text if all its words are known classes; otherwise an error text. */
type CheckedClassNames<Text extends string, Known extends string> = [Exclude<SplitWords<Text>, Known | "">] extends [
  never,
]
  ? Text
  : `no style sheet here has the class ${Exclude<SplitWords<Text>, Known | "">}`;

/**
 * Translates class names of style sheets, separated by spaces, into the names of the build.
 * The first sheet with a name wins. A name in none of the sheets does not compile.
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
