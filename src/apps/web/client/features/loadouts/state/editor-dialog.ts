/** What the editor can open over its canvas. */
export type EditorDialogName =
  | "add"
  | "review"
  | "compare"
  | "import"
  | "duplicate"
  | "rename"
  | "delete"
  | "rehearse"
  | "cast"
  | "new"
  | "palette"
  | "inspector"
  | "problems";
