/** Every key of the page, as the `?` dialog shows it. */
export interface ShortcutGroup {
  readonly where: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    where: "Everywhere",
    keys: [
      ["Ctrl K", "go to"],
      ["?", "these keys"],
      ["/", "search"],
      ["G then C L M K", "casts, loadouts, materia, link"],
      ["T", "light or dark"],
      ["Esc", "back, close"],
    ],
  },
  {
    where: "Lists",
    keys: [
      ["↑ ↓", "move"],
      ["Enter", "open"],
      ["C", "continue"],
      ["R", "resume"],
      ["X", "abort (asks)"],
    ],
  },
  {
    where: "Graph",
    keys: [
      ["↑ ↓", "along the rail"],
      ["← →", "to branches and lanes"],
      ["Enter", "open"],
      ["E", "next edge of this socket"],
    ],
  },
  {
    where: "Cast",
    keys: [
      ["[ ]", "visit before, after"],
      ["Shift [ ]", "item before, after"],
      ["Home End", "first, last visit"],
      ["F", "follow live"],
      ["1–6", "tabs of the visit"],
    ],
  },
  {
    where: "Editor",
    keys: [
      ["A", "add"],
      ["C", "connect: arrows choose the target, Enter"],
      ["Space", "select"],
      ["L", "loop from selection"],
      ["Alt ↑ ↓", "edge order"],
      ["Alt arrows", "move"],
      ["Del", "remove"],
      ["Ctrl Z", "undo"],
      ["Ctrl Shift Z", "redo"],
      ["Ctrl D", "duplicate"],
      ["Ctrl S", "review and save"],
      ["F", "find a socket"],
      ["F8", "next problem"],
      ["[ ]", "step through a rehearsal"],
      ["P", "play or pause it"],
    ],
  },
  {
    where: "Link",
    keys: [
      ["Alt ↑ ↓", "move target"],
      ["Del", "remove"],
      ["Ctrl Enter", "run"],
    ],
  },
];
