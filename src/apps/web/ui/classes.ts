import base from "../styles/base.module.css";
import materiaIcon from "./materia-icon.module.css";
import marks from "./marks.module.css";
import controls from "./controls.module.css";
import page from "../styles/page.module.css";
import dialog from "./dialog.module.css";
import itemCells from "./item-cells.module.css";
import fields from "./fields.module.css";
import editorLayout from "./editor-layout.module.css";

type CssModule = Readonly<Record<string, string>>;

type ClassNameIn<S> = S extends unknown ? keyof S & string : never;

type SplitWords<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | SplitWords<Rest> : Text;

/** The text if all its words are known classes; otherwise an error text. */
type CheckedClassNames<Text extends string, Known extends string> = [Exclude<SplitWords<Text>, Known | "">] extends [
  never,
]
  ? Text
  : `no style sheet here has the class ${Exclude<SplitWords<Text>, Known | "">}`;

/** The sheets that every part of the page may use. No two of them give one name to different classes. */
const SHARED = [base, materiaIcon, marks, controls, page, dialog, itemCells, fields, editorLayout] as const;

export const css = bindSheets();

/**
 * Translates class names of these sheets and of the shared ones, separated by spaces, into the names of the build.
 * The first sheet with a name wins. A name in none of the sheets does not compile.
 */
export function bindSheets<const Sheets extends readonly CssModule[]>(
  ...own: Sheets
): <const Text extends string>(
  names: CheckedClassNames<Text, ClassNameIn<[...Sheets, ...typeof SHARED][number]>>,
) => string {
  const sheets: readonly CssModule[] = [...own, ...SHARED];
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
