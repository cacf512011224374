type Sheet = Readonly<Record<string, string>>;

type ClassOf<S> = S extends unknown ? keyof S & string : never;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The text itself where every word of it is a known class; otherwise what is wrong with it. */
type Checked<Text extends string, Known extends string> = [Exclude<Words<Text>, Known | "">] extends [never]
  ? Text
  : `no style sheet here has the class ${Exclude<Words<Text>, Known | "">}`;

/**
 * Names as they stand in the style sheets of a component, separated by spaces → the names that the build made of them.
 * The first sheet that has a name decides. A name that none of them has does not compile.
 */
export function classesOf<const Sheets extends readonly Sheet[]>(
  ...sheets: Sheets
): <const Text extends string>(names: Checked<Text, ClassOf<Sheets[number]>>) => string {
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
