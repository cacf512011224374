import { connectSockets, moveEdge } from "../../../core/edit/edges-and-exits.ts";
import { addSocket, duplicateSockets, nextSocketId, placeSockets, removeSockets } from "../../../core/edit/sockets.ts";
import { insertSocketInWay, removeWay, findAuthoredWay } from "../../../core/edit/ways.ts";
import { createLoop, removeLoop } from "../../../core/edit/loops.ts";
import { ok } from "../../../core/model/issue.ts";
import type { Box, Point } from "../../../core/view/layout/drawing.ts";
import { canAnswerSatisfied } from "../../../core/model/materia.ts";
import type { GraphPart } from "../graph/graph-marks.ts";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { edgeWayId } from "../../../core/model/ids.ts";
import type { PendingConnection } from "./use-canvas.ts";
import { type EditorDialogName, type Editor, isDirty } from "./editor.ts";
import { toast } from "../ui/toasts.tsx";
import { knownMateria } from "./check-draft.ts";

/** What the keys need from the canvas. */
interface CanvasControl {
  /** The current position of a socket. */
  readonly boxOf: (id: string) => Box | undefined;
  readonly open: (dialog: EditorDialogName) => void;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly nextProblem: () => void;
  readonly focusWhenDrawn: (id: string) => void;
}

/** The keys of the editor; every key has a button or menu entry. */
export function useEditorKeys(editor: Editor, canvas: CanvasControl): void {
  const { apply, select, selected, undo, redo } = editor;
  const ids = (): readonly string[] => socketIdsIn(selected.length > 0 ? selected : focusedParts());
  const remove = (): boolean => {
    const part = focusedPart() ?? selected[0];
    if (!part) return false;
    if (removeParts(editor, selected.length > 1 ? selected : [part])) select();
    return true;
  };
  const shift = (dx: number, dy: number): boolean => {
    const part = focusedPart();
    if (part?.kind === "edge" && dx === 0) return reorderEdge(editor, part.id, dy < 0 ? -1 : 1);
    const box = part?.kind === "socket" ? canvas.boxOf(part.id) : undefined;
    return part && box ? moveSocketTo(editor, part.id, { x: box.x + dx, y: box.y + dy }) : false;
  };
  useKeysOutsideDialogs({
    a: () => canvas.open("add"),
    c: () => {
      const from = focusedPart() ?? selected[0];
      if (from?.kind !== "socket") return false;
      if (editor.readOnly !== null) return void apply("Connect", ok);
      canvas.setConnecting({ from: from.id, when: null });
      canvas.focusWhenDrawn(from.id);
      return true;
    },
    // The focused part counts as selected.
    l: () => makeLoopFrom(editor, [...new Set([...socketIdsIn(selected), ...socketIdsIn(focusedParts())])]),
    delete: remove,
    backspace: remove,
    "alt+up": () => shift(0, -16),
    "alt+down": () => shift(0, 16),
    "alt+left": () => shift(-16, 0),
    "alt+right": () => shift(16, 0),
    "ctrl+z": undo,
    "ctrl+shift+z": redo,
    "ctrl+y": redo,
    "ctrl+d": () => {
      const copied = ids();
      if (copied.length === 0) return false;
      const first = nextSocketId(editor.loadout);
      if (apply(`Duplicate ${copied.join(", ")}`, (each) => duplicateSockets(each, copied)))
        canvas.focusWhenDrawn(first);
      return true;
    },
    "ctrl+s": () => {
      if (editor.readOnly === null && !isDirty(editor.draft)) toast({ text: "Nothing to save." });
      else canvas.open(editor.readOnly === null ? "review" : "duplicate");
    },
    f8: canvas.nextProblem,
    escape: () => (selected.length > 0 ? select() : false),
  });
}

/** [E2] Adds a socket after the selected one. */
export function addSocketAfter(editor: Editor, materia: string, after: string | null): string | null {
  const id = nextSocketId(editor.loadout);
  const edges = after === null ? undefined : editor.loadout.sockets[after]?.edges;
  // Insert the socket into the only edge, if that is always taken.
  if (after !== null && edges?.length === 1 && edges[0]?.when === "always")
    return addSocketIntoEdge(editor, materia, edgeWayId(after, 0));
  const leads = after !== null && edges?.length === 0;
  const added = editor.apply(`Add ${materia}`, (each) => {
    const next = addSocket(each, materia);
    return next.ok && leads
      ? connectSockets(next.value, { from: after, to: id, judges: canSocketJudge(editor, after) })
      : next;
  });
  if (!added) return null;
  editor.select({ kind: "socket", id });
  return id;
}

/** [E28] Inserts a socket into an edge. */
export function addSocketIntoEdge(editor: Editor, materia: string, way: string): string | null {
  const id = nextSocketId(editor.loadout);
  if (!editor.apply(`Add ${materia}`, (each) => insertSocketInWay(each, way, materia))) return null;
  editor.select({ kind: "socket", id });
  return id;
}

/** [E2] The socket to extend: the selected one, otherwise the only one without an edge. */
export function socketToExtend({ selected, loadout }: Editor): string | null {
  const [chosen] = socketIdsIn(selected);
  if (chosen !== undefined) return chosen;
  const ends = Object.entries(loadout.sockets).filter(([, { edges }]) => edges.length === 0);
  return ends.length === 1 ? (ends[0]?.[0] ?? null) : null;
}

function canSocketJudge({ catalog, loadout }: Editor, id: string): boolean {
  const socket = loadout.sockets[id];
  const own = catalog.materia.get(socket?.materia ?? "")?.value;
  return own !== undefined && canAnswerSatisfied(own, socket?.parse);
}

export function makeLoopFrom(editor: Editor, ids: readonly string[]): void {
  const known = knownMateria(editor.catalog);
  const before = new Set(Object.keys(editor.loadout.loops));
  const made = editor.apply("Make a loop", (each) => createLoop(each, ids, known.isGenerator));
  const id = made && Object.keys(made.loops).find((each) => !before.has(each));
  if (id !== null && id !== undefined) editor.select({ kind: "loop", id });
}

export function focusedPart(): GraphPart | null {
  const text = document.activeElement?.closest<HTMLElement>("[data-part]")?.dataset["part"];
  const [, kind, id] = /^(socket|edge|loop) (.*)$/.exec(text ?? "") ?? [];
  return id === undefined ? null : { kind: kind as GraphPart["kind"], id }; // the expression matches only these kinds
}

function focusedParts(): readonly GraphPart[] {
  const part = focusedPart();
  return part ? [part] : [];
}

export function socketIdsIn(parts: readonly GraphPart[]): readonly string[] {
  return parts.filter(({ kind }) => kind === "socket").map(({ id }) => id);
}

function removeParts({ remove }: Editor, parts: readonly GraphPart[]): boolean {
  const sockets = socketIdsIn(parts);
  const names = parts.map(({ id }) => id).join(", ");
  const done = remove(`Delete ${names}`, (loadout) => {
    let result = sockets.length > 0 ? removeSockets(loadout, sockets) : ok(loadout);
    for (const { kind, id } of parts) {
      if (!result.ok || kind === "socket") continue;
      result = kind === "loop" ? removeLoop(result.value, id) : removeWay(result.value, id);
    }
    return result;
  });
  return done !== null;
}

function reorderEdge(editor: Editor, id: string, by: -1 | 1): boolean {
  const way = findAuthoredWay(editor.loadout, id);
  if (way?.kind !== "edge") return false;
  const { from, index } = way;
  if (editor.apply(`Reorder the edges of ${from}`, (each) => moveEdge(each, from, index, by)))
    editor.select({ kind: "edge", id: edgeWayId(from, index + by) });
  return true;
}

/** Its current position, a little aside. */
function moveSocketTo(editor: Editor, id: string, at: Point): boolean {
  const place = { x: Math.max(4, at.x), y: Math.max(4, at.y) };
  return editor.apply(`Move ${id}`, (each) => placeSockets(each, { [id]: place }), `move ${id}`) !== null;
}
